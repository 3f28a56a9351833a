#include "report/stored_tune.h"

#include <fmt/format.h>

#include <map>

#include "base/text.h"
#include "report/apply.h"
#include "report/quantity.h"
#include "report/stored_json.h"
#include "tune/repeats.h"

namespace flyball {
namespace {

using Json = nlohmann::ordered_json;

// A figure with the interval that stands beside it.
Json with_interval(const Json& c, const std::string& name) {
  const Json value = value_at(c, name.c_str()), range = value_at(c, (name + "_90").c_str());
  if (!value.is_number() || !range.is_array()) return value;
  return quantity(value, range[0], range[1]);
}

Json energy_of(const Json& time, const Json& power) {
  if (time.is_null() || power.is_null()) return nullptr;
  const auto at = [](const Json& q, size_t i) -> double { return q.is_array() ? q[i] : q; };
  return quantity(at(time, 0) * at(power, 0) * 1e-3, at(time, 1) * at(power, 1) * 1e-3,
                  at(time, 2) * at(power, 2) * 1e-3);
}

/// The configurations that the answer speaks of, each once.
class Rows {
 public:
  explicit Rows(const Json& config) {
    for (const auto& [name, value] : config.items()) axes_.push_back(named_axis(name));
  }

  const std::vector<Axis>& axes() const { return axes_; }
  Json& list() { return list_; }
  Json& at(size_t i) { return list_[i]; }

  size_t of(const Settings& settings) {
    std::vector<double> values;
    for (const Axis& axis : axes_) {
      const auto found = settings.find(axis.name);
      values.push_back(found == settings.end() ? 0 : found->second);
    }
    const auto [known, is_new] = known_.try_emplace(values, list_.size());
    if (is_new)
      list_.push_back({{"config", values},
                       {"time_ms", nullptr},
                       {"power_w", nullptr},
                       {"energy_j", nullptr},
                       {"provenance", "predicted"}});
    return known->second;
  }

  /// As the answer has it.
  size_t take(const Json& c) {
    const size_t i = of(settings_of(c["config"]));
    set(i, with_interval(c, "minibatch_ms"), with_interval(c, "power_w"), text_of(c, "provenance"));
    return i;
  }

  void set(size_t i, const Json& time, const Json& power, const std::string& provenance) {
    Json& row = list_[i];
    row["time_ms"] = time;
    row["power_w"] = power;
    row["energy_j"] = energy_of(time, power);
    row["provenance"] = provenance;
  }

 private:
  std::vector<Axis> axes_;
  std::map<std::vector<double>, size_t> known_;
  Json list_ = Json::array();
};

void take_measured(Rows& rows, const std::vector<StoredMeasurement>& trials) {
  std::map<size_t, std::vector<const Measurement*>> repeats;
  for (const StoredMeasurement& stored : trials)
    if (!stored.measurement.failed())
      repeats[rows.of(all_settings(stored.measurement.trial))].push_back(&stored.measurement);
  for (const auto& [i, measured] : repeats) {
    const Configuration c = pooled(measured);
    rows.set(i, quantity(c.minibatch_ms, c.time_lo, c.time_hi),
             quantity(c.power_w, c.power_lo, c.power_hi), provenance_name(c.provenance));
  }
}

Json trial_of(Rows& rows, const Json& trial) {
  const std::string failure = text_of(trial, "failure");
  const bool live = value_at(trial, "minibatches") != 0;
  Json json{{"configuration", rows.of(settings_of(trial["config"]))},
            {"why", text_of(trial, "reason")},
            {"stop_reason", failure.empty() ? text_of(trial, "stop_reason") : "failed: " + failure},
            {"noise_percent", live ? value_at(trial, "noise_pct") : Json(nullptr)},
            {"minibatches", trial["minibatches"]},
            {"stall_ms", value_at(trial, "stall_ms")},
            {"compute_ms", value_at(trial, "compute_ms")},
            {"e2e_ms", value_at(trial, "minibatch_ms")},
            {"time_ms", value_at(trial, "minibatch_ms")},
            {"power_w", value_at(trial, "power_w")},
            {"verification", trial.value("verification", false)},
            {"throttled", trial.value("throttled", false)},
            {"repeated", trial.value("repeat", false)},
            {"reused", trial.value("from_store", false)}};
  for (const char* key : {"run", "measured_utc", "other_cores", "clocks"})
    if (const Json known = value_at(trial, key); !known.is_null() && known != Json::array())
      json[key] = known;
  return json;
}

Json budgets_of(const Json& request) {
  Json budgets = Json::array();
  const Json span = value_at(request, "budget_span");
  const auto add = [&](const char* key, const char* what, const char* unit, const Json& per) {
    if (const Json limit = value_at(request, key); limit.is_number())
      budgets.push_back({{"quantity", what}, {"limit", limit}, {"unit", unit}, {"per", per}});
  };
  add("power_budget_w", "power", "W", nullptr);
  add("time_budget_s", "time", "s", span);
  add("energy_budget_j", "energy", "J", span);
  return budgets;
}

Json axes_of(const Rows& rows) {
  Json axes = Json::array();
  for (const Axis& axis : rows.axes())
    axes.push_back({{"name", axis.name},
                    {"unit", axis.unit},
                    {"scope", axis.scope == Scope::board ? "board" : "run"}});
  return axes;
}

Json notes_of(const Json& answer) {
  Json notes = Json::array();
  const Json device = value_at(answer, "device");
  if (const std::string gap = text_of(device, "power_gap"); !gap.empty())
    notes.push_back({{"level", "gap"}, {"text", "power is not available on this machine: " + gap}});
  for (const Json& gap : list_of(device, "gaps"))
    notes.push_back({{"level", "gap"}, {"text", gap}});
  for (const Json& note : list_of(answer, "notes"))
    notes.push_back({{"level", "note"}, {"text", note}});
  notes.push_back(
      {{"level", "note"},
       {"text",
        "reopened from the store, which keeps what was profiled, the choice, the default "
        "and the front; the other predictions are not kept"},
       {"hint", "run the command again with --report: trials that are stored are not repeated"}});
  return notes;
}

Json machine_of(const Json& device) {
  Json facts = Json::array();
  const Json conditions = value_at(device, "conditions");
  for (const auto& [name, value] : conditions.items())
    if (value.is_string()) facts.push_back({{"name", name}, {"value", value}});
  return {{"name", text_of(device, "title")},
          {"fingerprint", text_of(device, "fingerprint")},
          {"facts", facts}};
}

Json run_of(const StoredRun& run, const Json& answer) {
  const Json request = value_at(answer, "request");
  return {{"id", fmt::format("{}", run.id)},
          {"started_at", run.started_utc},
          {"duration_s", answer.value("seconds", 0.0)},
          {"seed", run.request.seed},
          {"strategy", text_of(request, "strategy")},
          {"predictor", value_at(request, "predictor")},
          {"power_total", value_at(value_at(answer, "device"), "power_total")},
          {"intervals",
           {{"measured", "90 % interval of the median"},
            {"predicted", "90 % interval of the prediction"}}},
          {"effort", text_of(answer, "effort")},
          {"versions", {{"flyball", FLYBALL_VERSION}}}};
}

Json request_of(const StoredRun& run, const Json& answer) {
  const Json request = value_at(answer, "request");
  const Json config = value_at(value_at(answer, "default"), "config");
  return {{"workload", text_of(request, "workload")},
          {"phase", text_of(request, "phase")},
          {"device", text_of(request, "device")},
          {"objective", text_of(request, "objective")},
          {"budgets", budgets_of(request)},
          {"command", run.request.command},
          {"profiles_limit", value_at(request, "profiles_limit")},
          {"samples_per_epoch", value_at(request, "samples")},
          {"batch_size", value_at(config, axis::batch_size)}};
}

Json front_of(Rows& rows, const Json& answer) {
  Json indices = Json::array();
  for (const Json& c : list_of(answer, "front")) {
    indices.push_back(rows.take(c));
    rows.at(indices.back().get<size_t>())["front"] = true;
  }
  if (indices.empty()) return nullptr;
  const bool energy = text_of(value_at(answer, "request"), "objective") == "energy";
  return {{"over", {"time", energy ? "energy" : "power"}}, {"configurations", indices}};
}

Json apply_of(const StoredRun& run, const Json& answer,
              const std::vector<StoredMeasurement>& trials) {
  const Json request = value_at(answer, "request");
  const Settings settings = settings_of(answer["choice"]["config"]);
  Applied applied;
  applied.device = text_of(request, "device");
  applied.workload = text_of(request, "workload");
  applied.phase = text_of(request, "phase") == "infer" ? Phase::infer : Phase::train;
  applied.live = !trials.empty() && trials[0].measurement.provenance == Provenance::measured;
  applied.command = run.request.command;
  // Axes of a program's own are its settings, whatever they are called.
  const bool program = applied.command.find(" -- ") != std::string::npos;
  for (const auto& [name, value] : settings) {
    const bool own = program && !is_known_axis(name);
    const bool board = !own && named_axis(name).scope == Scope::board;
    (board ? applied.mode : applied.run)[name] = value;
  }
  return apply_steps(applied);
}

}  // namespace

Json stored_tune_report(const StoredRun& run, const std::vector<StoredMeasurement>& trials) {
  const Json answer = stored_document(run.answer);
  const Json request = value_at(answer, "request"), base = value_at(answer, "default");
  Rows rows(value_at(base, "config"));
  take_measured(rows, trials);
  Json json{{"schema", "flyball-report/1"},
            {"kind", "tune"},
            {"title", fmt::format("run {}: {} {} on {}", run.id, text_of(request, "workload"),
                                  text_of(request, "phase") == "infer" ? "inference" : "training",
                                  text_of(request, "device"))},
            {"request", request_of(run, answer)},
            {"axes", axes_of(rows)}};
  json["configurations"] = nullptr;  // filled below, in this place
  json["profiled"] = Json::array();
  for (const Json& trial : list_of(answer, "profiled"))
    json["profiled"].push_back(trial_of(rows, trial));
  json["front"] = front_of(rows, answer);
  const size_t usual = rows.take(base);
  json["default"] = {{"configuration", usual}, {"name", text_of(base, "reason")}};
  json["choice"] = nullptr;
  if (answer["choice"].is_object()) {
    bool verified = false;
    for (const Json& trial : list_of(answer, "profiled"))
      verified = verified || trial.value("verification", false);
    json["choice"] = {{"configuration", rows.take(answer["choice"])}, {"verified", verified}};
    json["apply"] = apply_of(run, answer, trials);
  } else {
    const Json why = value_at(answer, "infeasible");
    json["infeasible"] = {
        {"reason", text_of(why, "reason")}, {"closest", nullptr}, {"hint", text_of(why, "hint")}};
  }
  // In the very words of the terminal.
  for (const char* key : {"per", "comparison", "reused"})
    if (answer.contains(key)) json[key] = answer[key];
  json["notes"] = notes_of(answer);
  json["machine"] = machine_of(value_at(answer, "device"));
  json["run"] = run_of(run, answer);
  json["configurations"] = rows.list();
  return json;
}

}  // namespace flyball
