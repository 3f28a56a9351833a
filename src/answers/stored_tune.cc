#include "answers/stored_tune.h"

#include <algorithm>
#include <deque>
#include <map>

#include "answers/repeats.h"
#include "answers/stored_json.h"
#include "space/trial_facts.h"

namespace flyball {
namespace {

using Json = nlohmann::ordered_json;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double number_of(const Json& holder, const char* key, double otherwise) {
  const Json value = value_at(holder, key);
  return value.is_number() ? value.get<double>() : otherwise;
}

bool is_set(const Json& holder, const char* key) {
  const Json value = value_at(holder, key);
  return value.is_boolean() && value.get<bool>();
}

/// Rebuilds the result step by step; each configuration that the answer speaks of is one row.
class Restored {
 public:
  Restored(const StoredRun& run, const std::vector<StoredMeasurement>& trials)
      : run_(run), trials_(trials), answer_(stored_answer(run)) {}

  TuneResult result() {
    take_request();
    take_profiler();
    result_.space = Space(axes());
    take_default();
    take_trials();
    take_choice();
    for (const Json& c : list_of(answer_, "front")) result_.front.push_back(row_of(c));
    for (size_t i = 0; i < result_.configurations.size(); ++i)
      if (const auto readings = result_.readings(i); !readings.empty())
        result_.configurations[i] = pooled(readings);
    take_rest();
    return std::move(result_);
  }

 private:
  void take_request() {
    const Json asked = value_at(answer_, "request");
    Request& request = result_.request;
    request.kind = "tune";
    if (const auto objective = parse_objective(text_of(asked, "objective")))
      request.objective = *objective;
    request.power_budget_w = number_of(asked, "power_budget_w", unlimited);
    request.time_budget_s = number_of(asked, "time_budget_s", unlimited);
    request.energy_budget_j = number_of(asked, "energy_budget_j", unlimited);
    for (const Json& limit : list_of(asked, "limits")) {
      const bool at_most = limit.contains("at_most");
      request.limits.push_back({text_of(limit, "figure"),
                                number_of(limit, at_most ? "at_most" : "at_least", 0), at_most});
    }
    request.profiles = static_cast<size_t>(number_of(asked, "profiles_limit", 0));
    request.gap = number_of(asked, "gap_pct", 0) / 100;
    request.time_limit_s = number_of(asked, "time_limit_s", unlimited);
    request.strategy = text_of(asked, "strategy");
    request.predictor = text_of(asked, "predictor");
    request.seed = run_.request.seed;
    request.command = run_.request.command;
    result_.budget_span = text_of(asked, "budget_span");
    result_.samples = number_of(asked, "samples", 0);
  }

  void take_profiler() {
    const Json asked = value_at(answer_, "request"), device = value_at(answer_, "device");
    ProfilerInfo& info = result_.profiler;
    info.device = text_of(asked, "device");
    info.device_title = text_of(device, "title");
    info.fingerprint = text_of(device, "fingerprint");
    const Json conditions = value_at(device, "conditions");
    for (const auto& [name, value] : conditions.items())
      if (value.is_string()) info.conditions[name] = value;
    info.workload = text_of(asked, "workload");
    info.phase = text_of(asked, "phase") == "infer" ? Phase::infer : Phase::train;
    info.power_total = text_of(device, "power_total");
    info.power_gap = text_of(device, "power_gap");
    for (const Json& gap : list_of(device, "gaps"))
      if (gap.is_string()) info.gaps.push_back(gap);
    for (const StoredMeasurement& stored : trials_) {
      const Measurement& m = stored.measurement;
      info.told = info.told || m.stop_reason == told_reason;
      const bool simulated = m.provenance == Provenance::simulated && !from_table(m);
      info.live = info.live || info.told || simulated || measured_here(m);
      info.provenance = m.provenance;
    }
    if (!trials_.empty()) info.job = trials_[0].measurement.trial.job.settings;
  }

  // In the order of the space that was searched; whether one is the board's, its trials say.
  std::vector<Axis> axes() {
    const Json config = value_at(value_at(answer_, "default"), "config");
    std::vector<std::string> names;
    const Json asked = stored_document(run_.request.request);
    for (const Json& measured : list_of(asked, "measured"))
      for (const Json& axis : list_of(measured, "axes"))
        if (config.contains(text_of(axis, "name"))) names.push_back(text_of(axis, "name"));
    if (names.size() != config.size()) {
      names.clear();
      for (const auto& [name, value] : config.items()) names.push_back(name);
    }
    std::vector<Axis> axes;
    for (const std::string& name : names) {
      axes.push_back(named_axis(name));
      if (trials_.empty()) continue;
      const bool board = trials_[0].measurement.trial.mode.values.contains(name);
      axes.back().scope = board ? Scope::board : Scope::run;
      result_.profiler.job.erase(name);
    }
    return axes;
  }

  std::vector<double> values_of(const Settings& settings) const {
    std::vector<double> values;
    for (const Axis& axis : result_.space.axes()) {
      const auto found = settings.find(axis.name);
      values.push_back(found == settings.end() ? 0 : found->second);
    }
    return values;
  }

  size_t row_of(const std::vector<double>& values) {
    const auto [known, is_new] = rows_.try_emplace(values, rows_.size());
    if (is_new) {
      result_.space.add(values);
      result_.configurations.push_back(
          {unknown, unknown, unknown, unknown, unknown, unknown, Provenance::predicted});
    }
    return known->second;
  }

  // With its figures, as the answer has them.
  size_t row_of(const Json& c) {
    const size_t row = row_of(values_of(settings_of(value_at(c, "config"))));
    Configuration& known = result_.configurations[row];
    known.minibatch_ms = number_of(c, "minibatch_ms", unknown);
    known.power_w = number_of(c, "power_w", unknown);
    const auto interval = [&](const char* key, double& lo, double& hi) {
      const Json bounds = list_of(c, key);
      lo = hi = unknown;
      if (bounds.size() == 2) lo = bounds[0], hi = bounds[1];
    };
    interval("minibatch_ms_90", known.time_lo, known.time_hi);
    interval("power_w_90", known.power_lo, known.power_hi);
    if (const auto provenance = parse_provenance(text_of(c, "provenance")))
      known.provenance = *provenance;
    return row;
  }

  void take_default() {
    const Json usual = value_at(answer_, "default");
    result_.default_config = row_of(usual);
    result_.default_reason = text_of(usual, "reason");
  }

  // What the store has of them; each is the next of its configuration, in the order of the run.
  void take_trials() {
    std::map<std::vector<double>, std::deque<const StoredMeasurement*>> kept;
    for (const StoredMeasurement& stored : trials_)
      kept[values_of(all_settings(stored.measurement.trial))].push_back(&stored);
    for (const Json& told : list_of(answer_, "profiled")) {
      const std::vector<double> values = values_of(settings_of(value_at(told, "config")));
      auto& next = kept[values];
      if (next.empty()) continue;
      Observation trial;
      trial.config = row_of(values);
      trial.settings = result_.space.settings(trial.config);
      trial.measurement = next.front()->measurement;
      next.pop_front();
      // Where power could not be read any more it was left out.
      if (value_at(told, "power_w").is_null()) trial.measurement.power.reset();
      trial.reason = text_of(told, "reason");
      trial.repeat = is_set(told, "repeat");
      trial.from_store = is_set(told, "from_store");
      trial.verification = is_set(told, "verification");
      if (const Json made = value_at(told, "run"); made.is_number_integer()) trial.run = made;
      result_.profiled.push_back(std::move(trial));
    }
  }

  void take_choice() {
    if (const Json choice = value_at(answer_, "choice"); choice.is_object()) {
      result_.choice = row_of(choice);
      return;
    }
    const Json why = value_at(answer_, "infeasible");
    result_.infeasible = {Code::infeasible, text_of(why, "reason"), text_of(why, "hint")};
    for (const Json& one : list_of(why, "easing")) {
      Advice advice{text_of(one, "flag"),     number_of(one, "value", 0),
                    text_of(one, "unit"),     Provenance::predicted,
                    text_of(one, "workload"), number_of(one, "slowdown", 0)};
      if (const auto known = parse_provenance(text_of(one, "provenance")))
        advice.provenance = *known;
      result_.easing.push_back(std::move(advice));
    }
  }

  void take_rest() {
    const std::string per = text_of(answer_, "per");
    for (const Per one : {Per::run, Per::sample})
      if (per == per_name(one)) result_.per = one;
    result_.stopped = text_of(answer_, "stopped");
    if (answer_.contains("gap_pct")) result_.gap = number_of(answer_, "gap_pct", 0) / 100;
    for (const Json& note : list_of(answer_, "notes"))
      if (note.is_string()) result_.notes.push_back(note);
    result_.run = run_.id;
    result_.started_utc = run_.started_utc;
    if (const std::string began = text_of(answer_, "started_utc"); !began.empty())
      result_.started_utc = began;
    result_.seconds = number_of(answer_, "seconds", 0);
    result_.own_seconds = number_of(answer_, "own_seconds", 0);
    result_.whole_space = static_cast<size_t>(number_of(answer_, "configurations", 0));
  }

  const StoredRun& run_;
  const std::vector<StoredMeasurement>& trials_;
  Json answer_;
  TuneResult result_;
  std::map<std::vector<double>, size_t> rows_;
};

}  // namespace

TuneResult stored_tune(const StoredRun& run, const std::vector<StoredMeasurement>& trials) {
  return Restored(run, trials).result();
}

}  // namespace flyball
