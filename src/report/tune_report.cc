#include "report/tune_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "answers/comparison.h"
#include "answers/repeats.h"
#include "answers/stored_json.h"
#include "answers/stored_tune.h"
#include "answers/tune_json.h"
#include "base/json.h"
#include "report/apply.h"
#include "report/quantity.h"
#include "report/sheet.h"
#include "space/trial_facts.h"

namespace flyball {
namespace {

using Json = nlohmann::ordered_json;

Json time_of(const Configuration& c) {
  return quantity(c.minibatch_ms, c.time_lo, c.time_hi);
}
Json power_of(const Configuration& c) {
  return quantity(c.power_w, c.power_lo, c.power_hi);
}
Json energy_of(const Configuration& c) {
  return quantity(c.minibatch_j(), c.joules_lo(), c.joules_hi());
}

Json budgets_of(const TuneResult& result) {
  Json budgets = Json::array();
  const Request& request = result.request;
  if (request.power_budget_w != unlimited)
    budgets.push_back({{"quantity", "power"},
                       {"limit", request.power_budget_w},
                       {"unit", "W"},
                       {"per", nullptr}});
  if (request.time_budget_s != unlimited)
    budgets.push_back({{"quantity", "time"},
                       {"limit", request.time_budget_s},
                       {"unit", "s"},
                       {"per", result.budget_span}});
  if (request.energy_budget_j != unlimited)
    budgets.push_back({{"quantity", "energy"},
                       {"limit", request.energy_budget_j},
                       {"unit", "J"},
                       {"per", result.budget_span}});
  return budgets;
}

// With their text: memory has a unit.
Json limits_of(std::span<const FigureLimit> limits) {
  Json list = limits_json(limits);
  for (size_t i = 0; i < limits.size(); ++i) list[i]["text"] = limits[i].text();
  return list;
}

Json figures_json(const Figures& figures) {
  Json list = Json::array();
  for (const auto& [name, value] : figures)
    list.push_back({{"name", name}, {"value", value}, {"text", figure_text(name, value)}});
  return list;
}

Json request_of(const TuneResult& result) {
  const auto batch = result.profiler.job.find(axis::batch_size);
  const auto axis = result.space.axis_index(axis::batch_size);
  Json fixed_batch = nullptr;
  if (batch != result.profiler.job.end())
    fixed_batch = batch->second;
  else if (axis && result.space.axes()[*axis].values.size() == 1)
    fixed_batch = result.space.axes()[*axis].values.front();
  return {{"workload", result.profiler.workload},
          {"phase", phase_name(result.profiler.phase)},
          {"device", result.profiler.device},
          {"objective", objective_name(result.objective())},
          {"budgets", budgets_of(result)},
          {"asked", describe(result.request, result.budget_span)},
          {"limits", limits_of(result.request.limits)},
          {"gap_pct", result.request.gap > 0 ? Json(100 * result.request.gap) : Json(nullptr)},
          {"time_limit_s", or_null(result.request.time_limit_s)},
          {"command", result.request.command},
          {"profiles_limit", result.request.profiles},
          {"offered", result.offered()},
          {"samples_per_epoch", result.samples > 0 ? Json(result.samples) : Json(nullptr)},
          {"batch_size", fixed_batch}};
}

Json axes_of(const TuneResult& result) {
  Json axes = Json::array();
  for (const Axis& axis : result.space.axes())
    axes.push_back({{"name", axis.name},
                    {"unit", axis.unit},
                    {"scope", axis.scope == Scope::board ? "board" : "run"}});
  return axes;
}

Json configurations_of(const TuneResult& result) {
  const std::set<size_t> front(result.front.begin(), result.front.end());
  Json list = Json::array();
  for (size_t i = 0; i < result.configurations.size(); ++i) {
    const Configuration& c = result.configurations[i];
    const auto row = result.space.row(i);
    Json entry = {{"config", std::vector<double>(row.begin(), row.end())},
                  {"time_ms", time_of(c)},
                  {"power_w", power_of(c)},
                  {"energy_j", energy_of(c)},
                  {"provenance", provenance_name(c.provenance)}};
    if (result.per == Per::sample) {
      const double n = result.counted(i);
      entry["sample_ms"] = quantity(c.minibatch_ms / n, c.time_lo / n, c.time_hi / n);
      entry["sample_j"] = quantity(c.minibatch_j() / n, c.joules_lo() / n, c.joules_hi() / n);
    }
    if (front.contains(i)) entry["front"] = true;
    list.push_back(std::move(entry));
  }
  return list;
}

// The reading of this trial alone; its configuration holds what all of them come to.
Json reading_of_trial(const Measurement& m) {
  const Measurement* only[] = {&m};
  const Configuration own = pooled(only);
  return {{"time_ms", m.failed() ? Json(nullptr) : time_of(own)},
          {"power_w", m.failed() ? Json(nullptr) : power_of(own)}};
}

Json trial_of(const Observation& trial) {
  const Measurement& m = trial.measurement;
  const bool live = !m.minibatches.empty();
  Json json = {{"configuration", trial.config},
               {"why", trial.reason},
               {"stop_reason", m.failed() ? "failed: " + m.failure : m.stop_reason},
               {"noise_percent", live ? noise_pct(m) : Json(nullptr)},
               {"minibatches", m.minibatches.size()},
               {"stall_ms", splits_time(m) ? Json(m.stall_ms) : Json(nullptr)},
               {"compute_ms", splits_time(m) ? Json(m.compute_ms) : Json(nullptr)},
               {"e2e_ms", m.failed() ? Json(nullptr) : Json(m.minibatch_ms)}};
  if (m.power && m.power->distinct_updates > 0) {
    json["window_s"] = m.power->window_s;
    json["window_j"] = m.power->energy_j;
    json["power_updates"] = m.power->distinct_updates;
    json["power_samples"] = m.power->samples_got;
    json["power_samples_wanted"] = m.power->samples_wanted;
  }
  if (m.power && m.power->noise < unknown_noise) json["power_noise_percent"] = 100 * m.power->noise;
  if (!m.power_gap.empty()) json["power_gap"] = m.power_gap;
  if (live && m.first.e2e_ms > 0) json["first_ms"] = m.first.e2e_ms;
  if (m.total_s > 0) {
    json["settle_s"] = m.settle_s;
    json["warm_up_s"] = m.warm_up_s;
    json["total_s"] = m.total_s;
  }
  json.update(reading_of_trial(m));
  json["verification"] = trial.verification;
  if (!m.started_utc.empty()) json["measured_utc"] = m.started_utc;
  if (trial.run) json["run"] = *trial.run;
  if (m.other_cores) json["other_cores"] = *m.other_cores;
  json["throttled"] = m.throttled ? Json(*m.throttled) : Json(nullptr);
  if (const std::string by = disturbed_by(m); !by.empty()) json["disturbed"] = by;
  if (const Figures own = own_figures(m); !own.empty()) json["figures"] = figures_json(own);
  if (const auto settled = power_settled(m)) json["power_settled"] = *settled;
  if (Json clocks = clocks_json(m); !clocks.empty()) json["clocks"] = std::move(clocks);
  json["repeated"] = trial.repeat;
  json["reused"] = trial.from_store;
  return json;
}

Json pairs_of(const TuneResult& result) {
  Json pairs = Json::array();
  for (const HeldOut& held : result.held_out) {
    const Configuration& observed = result.configurations[held.config];
    pairs.push_back({{"configuration", held.config},
                     {"quantity", "time"},
                     {"observed", time_of(observed)},
                     {"predicted", time_of(held.predicted)},
                     {"fitted", false}});
    if (std::isfinite(observed.power_w) && std::isfinite(held.predicted.power_w))
      pairs.push_back({{"configuration", held.config},
                       {"quantity", "power"},
                       {"observed", power_of(observed)},
                       {"predicted", power_of(held.predicted)},
                       {"fitted", false}});
  }
  return pairs;
}

// The configurations hold predictions of what was not profiled; the optimum is as the table has it.
Json oracle_of(const TuneResult& result) {
  const Oracle& oracle = *result.oracle;
  const auto index = [](const std::optional<TableRow>& row) {
    return row ? Json(row->config) : Json(nullptr);
  };
  const auto tabled = [](const std::optional<TableRow>& row) -> Json {
    if (!row) return nullptr;
    const bool power = !std::isnan(row->power_w);
    return {{"time_ms", row->minibatch_ms},
            {"power_w", power ? Json(row->power_w) : Json(nullptr)},
            {"energy_j", power ? Json(row->power_w * row->minibatch_ms * 1e-3) : Json(nullptr)}};
  };
  return {{"raw", index(oracle.raw)},
          {"robust", index(oracle.robust)},
          {"raw_tabled", tabled(oracle.raw)},
          {"robust_tabled", tabled(oracle.robust)},
          {"excluded_rows", oracle.excluded.size()},
          {"gap_pct", or_null(gap_pct(result, oracle.raw))},
          {"robust_gap_pct", or_null(gap_pct(result, oracle.robust))},
          {"text", oracle_text(result)}};
}

Json notes_of(const TuneResult& result) {
  Json notes = Json::array();
  if (!result.profiler.power_gap.empty())
    notes.push_back({{"level", "gap"},
                     {"text", power_notice(result.profiler)},
                     {"hint", result.profiler.power_gap}});
  for (const std::string& gap : result.profiler.gaps)
    notes.push_back({{"level", "gap"}, {"text", gap}});
  for (const std::string& note : result.notes) notes.push_back({{"level", "note"}, {"text", note}});
  size_t throttled = 0, looked = 0;
  for (const Observation& trial : result.profiled) {
    throttled += trial.measurement.throttled.value_or(false);
    looked += trial.measurement.throttled.has_value();
  }
  if (throttled > 0)
    notes.push_back(
        {{"level", "warning"},
         {"text", fmt::format("the board throttled during {} of {} trials that were watched for it",
                              throttled, looked)}});
  return notes;
}

Json facts_of(const Conditions& conditions) {
  Json facts = Json::array();
  for (const auto& [name, value] : conditions) facts.push_back({{"name", name}, {"value", value}});
  return facts;
}

Json run_of(const TuneResult& result) {
  const ProfilerInfo& info = result.profiler;
  return {{"id", result.run ? fmt::format("{}", *result.run) : "not kept"},
          {"started_at", result.started_utc},
          {"duration_s", result.seconds},
          {"seed", result.request.seed},
          {"strategy", result.request.strategy},
          {"predictor", result.request.predictor},
          {"power_total", info.power_total.empty() ? Json(nullptr) : Json(info.power_total)},
          {"intervals",
           {{"measured",
             "90 % interval of the median; of two readings, from the lower end of one to the "
             "upper end of the other"},
            {"predicted", "90 % interval of the prediction"}}},
          {"effort", effort_text(result, result.offered(), result.request.caller)},
          {"versions", {{"flyball", FLYBALL_VERSION}}}};
}

Json choice_of(const TuneResult& result) {
  if (!result.choice) return nullptr;
  const bool verified = std::ranges::any_of(result.profiled, [&](const Observation& trial) {
    return trial.verification && trial.config == *result.choice;
  });
  Json choice{{"configuration", *result.choice}, {"verified", verified}};
  if (const Figures figures = figures_of(result, *result.choice); !figures.empty())
    choice["figures"] = figures_json(figures);
  return choice;
}

Json apply_of(const TuneResult& result) {
  const ProfilerInfo& info = result.profiler;
  Applied applied{
      info.device, info.workload, info.phase, info.live, result.request.command, info.told, {}, {}};
  for (const auto& [name, value] : result.space.settings(*result.choice)) {
    const Axis* open = find_axis(result.space.axes(), name);
    const Scope scope = open ? open->scope : named_axis(name).scope;
    (scope == Scope::board ? applied.mode : applied.run)[name] = value;
  }
  applied.simulated = info.provenance == Provenance::simulated && info.live;
  // Of a network for text, and no axis: a row's tokens.
  if (const auto tokens = info.job.find("tokens"); tokens != info.job.end())
    applied.run.insert(*tokens);
  return apply_steps(applied);
}

}  // namespace

Json tune_report(const TuneResult& result) {
  const ProfilerInfo& info = result.profiler;
  Json json;
  json["schema"] = "flyball-report/1";
  json["kind"] = "tune";
  json["title"] = fmt::format("{} {} on {}{}", info.workload,
                              info.phase == Phase::train ? "training" : "inference", info.device,
                              info.provenance == Provenance::simulated ? " (simulated)" : "");
  json["request"] = request_of(result);
  json["axes"] = axes_of(result);
  json["configurations"] = configurations_of(result);
  json["profiled"] = Json::array();
  for (const Observation& trial : result.profiled) json["profiled"].push_back(trial_of(trial));
  json["choice"] = choice_of(result);
  json["per"] = per_name(result.per);
  json["comparison"] = comparison_json(result);
  json["reused"] = reused_json(result.reused());
  if (result.infeasible)
    json["infeasible"] = {{"reason", result.infeasible->message},
                          {"closest", nullptr},
                          {"hint", result.infeasible->hint}};
  json["default"] = {{"configuration", result.default_config}, {"name", result.default_reason}};
  json["front"] = nullptr;
  if (!result.front.empty())
    json["front"] = {
        {"over", {"time", result.objective() == Objective::energy ? "energy" : "power"}},
        {"configurations", result.front}};
  if (result.oracle) json["oracle"] = oracle_of(result);
  json["pairs"] = pairs_of(result);
  json["notes"] = notes_of(result);
  json["machine"] = {{"name", info.device_title},
                     {"fingerprint", info.fingerprint},
                     {"facts", facts_of(info.conditions)}};
  json["run"] = run_of(result);
  if (result.choice) json["apply"] = apply_of(result);
  return json;
}

Json stored_tune_report(const StoredRun& run, const std::vector<StoredMeasurement>& trials) {
  const TuneResult result = stored_tune(run, trials);
  Json json = tune_report(result);
  json["title"] = fmt::format("run {}: {}", run.id, json["title"].get<std::string>());
  // In the very words that were said then.
  const Json answer = stored_answer(run);
  for (const char* key : {"comparison", "reused"})
    if (answer.contains(key)) json[key] = answer[key];
  if (const std::string effort = text_of(answer, "effort"); !effort.empty())
    json["run"]["effort"] = effort;
  add_note(json, "note",
           "reopened from the store, which keeps what was profiled, the choice, the default and "
           "the front; the other predictions are not kept",
           result.profiler.told
               ? ""
               : "run the command again with --report: trials that are stored are not repeated");
  return json;
}

}  // namespace flyball
