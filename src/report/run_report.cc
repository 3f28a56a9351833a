#include "report/run_report.h"

#include <fmt/format.h>

#include "answers/observation.h"
#include "answers/stored_json.h"
#include "base/json.h"
#include "base/text.h"
#include "report/plan_report.h"
#include "report/quantity.h"
#include "report/sheet.h"
#include "report/sources.h"
#include "report/tune_report.h"
#include "space/trial_facts.h"

namespace flyball {
namespace {

using Json = nlohmann::ordered_json;

std::string came_of(const StoredRun& run) {
  const char* state = run_state_name(run.state);
  if (run.state == RunState::done) return "";
  return run.state == RunState::running
             ? fmt::format("It is running; {} trials so far.", run.measurements)
             : fmt::format("It was {} before it had an answer; {} trials are kept.", state,
                           run.measurements);
}

void add_point(Json& points, const Measurement& m, const std::string& source) {
  if (m.failed() || !m.power) return;
  points.push_back({{"x", m.power->mean_w},
                    {"y", m.minibatch_ms},
                    {"label", m.trial.job.workload + " " + describe(all_settings(m.trial))},
                    {"group", source},
                    {"marked", false}});
}

void add_trials(Json& sheet, const std::vector<StoredMeasurement>& trials, Sources& sources) {
  Json table = sheet_table("Its trials", "In their order.",
                           {{"#", ""},
                            {"workload", ""},
                            {"set", ""},
                            {"minibatch", "ms"},
                            {"power", "W"},
                            {"noise", "%"},
                            {"source", ""},
                            {"stopped", ""},
                            {"also known", ""}});
  Json points = Json::array();
  std::vector<size_t> origin(trials.size());
  // A failed trial has no power total: it belongs where the others of its board and conditions do.
  for (const bool failed : {false, true})
    for (size_t i = 0; i < trials.size(); ++i)
      if (trials[i].measurement.failed() == failed) origin[i] = sources.of(trials[i].measurement);
  size_t number = 0;
  for (const StoredMeasurement& stored : trials) {
    const Measurement& m = stored.measurement;
    const std::string& source = sources.all()[origin[number]].name;
    table["rows"].push_back(sheet_row(
        {++number, fmt::format("{} {}", m.trial.job.workload, phase_name(m.trial.job.phase)),
         describe(all_settings(m.trial)), m.failed() ? Json("failed") : time_of_reading(m),
         m.power && !m.failed() ? power_of_reading(m) : Json(nullptr), noise_pct(m), source,
         (m.failed() ? m.failure : m.stop_reason) + (stored.reused ? " (reused)" : ""),
         also_known(m)},
        provenance_name(m.provenance)));
    add_point(points, m, source);
  }
  if (points.size() > 1)
    sheet["charts"].push_back({{"title", "Power against time"},
                               {"x", {{"label", "power"}, {"unit", "W"}}},
                               {"y", {{"label", "minibatch"}, {"unit", "ms"}}},
                               {"points", points},
                               {"limits", Json::array()}});
  if (!trials.empty()) sheet["tables"].push_back(std::move(table));
}

}  // namespace

Json stored_trial_json(const StoredMeasurement& stored) {
  const Measurement& m = stored.measurement;
  Json config = Json::object();
  for (const auto& [name, value] : all_settings(m.trial)) config[name] = value;
  Json json{{"id", stored.id},
            {"workload", m.trial.job.workload},
            {"phase", phase_name(m.trial.job.phase)},
            {"config", config}};
  json.update(trial_facts(m));
  json["conditions"] = or_null(m.conditions);
  json["run"] = or_null(stored.run);
  json["reused"] = stored.reused;
  return json;
}

Json run_report(const StoredRun& run, const std::vector<StoredMeasurement>& trials) {
  const Json answer = stored_answer(run);
  if (answer.contains("problem")) return plan_report(run);
  if (answer.contains("profiled") && answer.contains("choice"))
    return stored_tune_report(run, trials);
  const RunSummary summary = summary_of(run);
  const std::string what =
      summary.workload.empty() ? fmt::format("{} trials", trials.size()) : summary.workload;
  Json sheet = new_sheet(
      {"run", fmt::format("run {}", run.id),
       fmt::format("Run {} · {} · {}", run.id, run.request.device, run_state_name(run.state)),
       fmt::format("Run {}: {} on {}.", run.id, what, run.request.device), run.request.command,
       run.started_utc});
  if (const std::string words = came_of(run); !words.empty()) sheet["lines"].push_back(words);
  sheet["figures"].push_back(sheet_figure("trials", run.measurements, "", "",
                                          fmt::format("{} of them reused", run.reused)));
  for (const Json& note : list_of(answer, "notes"))
    if (note.is_string()) add_note(sheet, "note", note);
  Sources sources;
  add_trials(sheet, trials, sources);
  add_sources(sheet, sources);
  sheet["facts"].push_back(
      fact_list("Run", {{"run", fmt::format("{}", run.id)},
                        {"state", run_state_name(run.state)},
                        {"started", run.started_utc},
                        {"finished", run.finished_utc.empty() ? "not finished" : run.finished_utc},
                        {"seed", fmt::format("{}", run.request.seed)}}));
  return sheet;
}

}  // namespace flyball
