#include "report/stored_answer.h"

#include <algorithm>
#include <map>

#include "answers/repeats.h"
#include "answers/stored_json.h"
#include "base/json.h"
#include "experiment/summary.h"
#include "space/trial_facts.h"

namespace flyball {
namespace {

void add_missing(Json& document, const Json& keys) {
  for (const auto& [key, value] : keys.items())
    if (!document.contains(key)) document[key] = value;
}

bool is_of(const Measurement& m, const Json& told) {
  const std::string workload = text_of(told, "workload");
  if (!workload.empty() && workload != m.trial.job.workload) return false;
  const Settings all = all_settings(m.trial);
  return std::ranges::all_of(settings_of(value_at(told, "config")), [&](const auto& setting) {
    const auto found = all.find(setting.first);
    return found != all.end() && found->second == setting.second;
  });
}

/// The store's measurement behind each trial of the answer: the next of its configuration. Null
/// where the store has none.
std::vector<const Measurement*> kept_of(const Json& answer,
                                        const std::vector<StoredMeasurement>& trials) {
  std::vector<const Measurement*> kept;
  std::vector<bool> taken(trials.size());
  for (const Json& told : list_of(answer, "profiled")) {
    size_t i = 0;
    while (i < trials.size() && (taken[i] || !is_of(trials[i].measurement, told))) ++i;
    if (i < trials.size()) taken[i] = true;
    kept.push_back(i < trials.size() ? &trials[i].measurement : nullptr);
  }
  return kept;
}

// In the order in which the space was searched; whether one is the board's, a trial says.
Json axes_of(const StoredRun& run, const Json& config,
             const std::vector<StoredMeasurement>& trials) {
  std::vector<std::string> names;
  const Json asked = stored_document(run.request.request);
  for (const Json& measured : list_of(asked, "measured"))
    for (const Json& axis : list_of(measured, "axes"))
      if (config.contains(text_of(axis, "name"))) names.push_back(text_of(axis, "name"));
  if (names.size() != config.size()) {
    names.clear();
    for (const auto& [name, value] : config.items()) names.push_back(name);
  }
  Json axes = Json::array();
  for (const std::string& name : names) {
    const bool board = trials.empty() ? named_axis(name).scope == Scope::board
                                      : trials[0].measurement.trial.mode.values.contains(name);
    axes.push_back(
        {{"name", name}, {"unit", named_axis(name).unit}, {"scope", board ? "board" : "run"}});
  }
  return axes;
}

// Of each configuration, what its readings come to.
Json measured_of(const Json& answer, const std::vector<const Measurement*>& kept) {
  std::vector<Json> configs;
  std::map<std::string, std::vector<const Measurement*>> readings;
  for (size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i] || kept[i]->failed()) continue;
    const Json& config = answer["profiled"][i]["config"];
    auto& own = readings[config.dump()];
    if (own.empty()) configs.push_back(config);
    own.push_back(kept[i]);
  }
  Json list = Json::array();
  for (const Json& config : configs)
    list.push_back(known_json(settings_of(config), pooled(readings[config.dump()])));
  return list;
}

void complete_tune(Json& answer, const StoredRun& run, const std::vector<StoredMeasurement>& trials,
                   const std::vector<const Measurement*>& kept) {
  const Json config = value_at(value_at(answer, "default"), "config");
  Settings fixed;
  if (!trials.empty()) fixed = trials[0].measurement.trial.job.settings;
  std::erase_if(fixed, [&](const auto& setting) { return config.contains(setting.first); });
  add_missing(answer["request"], {{"settings", fixed}});
  add_missing(answer, {{"axes", axes_of(run, config, trials)},
                       {"measured", measured_of(answer, kept)},
                       {"held_out", Json::array()}});
}

// Neither what was asked nor where stood in a plan, nor the times of its choices.
void complete_plan(Json& answer, const StoredRun& run,
                   const std::vector<StoredMeasurement>& trials) {
  Json request = stored_document(run.request.request), total;
  for (const char* key : {"fresh", "measured", "verify", "profiles_asked", "windows"})
    request.erase(key);
  for (const StoredMeasurement& trial : trials)
    if (const auto& power = trial.measurement.power; power && !power->total.empty())
      total = power->total;
  add_missing(answer, {{"request", request},
                       {"device",
                        {{"name", run.request.device},
                         {"title", run.request.device},
                         {"fingerprint", run.request.fingerprint},
                         {"conditions", or_null(run.request.conditions)},
                         {"power_total", total},
                         {"power_gap", nullptr},
                         {"gaps", Json::array()}}}});
  if (answer.contains("windows")) {
    add_missing(answer, {{"objective", text_of(request, "objective")},
                         {"asked", ""},
                         {"infeasible", nullptr},
                         {"profiles", 0},
                         {"trials", 0},
                         {"profiled", Json::array()},
                         {"stopped", ""},
                         {"notes", Json::array()},
                         {"switches", 0},
                         {"switch_j", 0},
                         {"value", nullptr},
                         {"value_unit", ""},
                         {"static_value", nullptr}});
    answer.erase("modes");
    return;
  }
  add_missing(answer, {{"default", nullptr}, {"together", nullptr}});
  each_choice(answer, [](Json& choice) {
    add_missing(choice, {{"minibatch_ms", nullptr}});
    for (Json& role : choice["roles"]) add_missing(role, {{"minibatch_ms", nullptr}});
  });
}

// A setting that came later stands in the runs only.
bool has_settings(const RunFigures& run, const Json& settings) {
  const Json own = settings_json(run.settings);
  for (const auto& [name, value] : settings.items())
    if (value_at(own, name.c_str()) != value) return false;
  return true;
}

// Neither its epochs stood in an experiment, nor what it held fixed and varied.
Json complete_experiment(Json answer, const StoredRun& run,
                         const std::vector<StoredFigures>& runs) {
  const Json asked = stored_document(run.request.request), vary = value_at(asked, "vary");
  Json varied = Json::array();
  for (const auto& [name, values] : vary.items()) varied.push_back(name);
  add_missing(answer, {{"fixed", value_at(asked, "fixed")}, {"varied", varied}});
  add_missing(answer, first_run_json(runs.empty() ? nullptr : &runs.front().figures));
  for (Json& group : answer["groups"]) {
    std::vector<const RunFigures*> own;
    for (const StoredFigures& one : runs)
      if (has_settings(one.figures, group["settings"])) own.push_back(&one.figures);
    add_missing(group, {{"epochs", epochs_json(own)}});
  }
  return answer;
}

}  // namespace

Json complete_answer(const StoredRun& run, const std::vector<StoredMeasurement>& trials,
                     const std::vector<StoredFigures>& experiment_runs) {
  Json answer = stored_answer(run);
  if (answer.contains("experiment"))
    return complete_experiment(std::move(answer), run, experiment_runs);
  const std::vector<const Measurement*> kept = kept_of(answer, trials);
  for (size_t i = 0; i < kept.size(); ++i) {
    Json& told = answer["profiled"][i];
    if (!kept[i]) continue;
    Json known{{"workload", kept[i]->trial.job.workload}};
    known.update(trial_facts(*kept[i]));
    known.update(trial_intervals(*kept[i]));
    add_missing(told, known);
    // Where power could not be read any more it was left out.
    if (told["power_w"].is_null()) told["power_w_90"] = nullptr;
  }
  add_missing(answer, {{"run", run.id},
                       {"effort", ""},
                       {"reused", Json::array()},
                       {"set_aside", Json::array()},
                       {"modes", nullptr},
                       {"started_utc", run.started_utc},
                       {"seconds", 0},
                       {"own_seconds", 0}});
  if (answer.contains("per")) complete_tune(answer, run, trials, kept);
  if (answer.contains("problem")) complete_plan(answer, run, trials);
  return answer;
}

}  // namespace flyball
