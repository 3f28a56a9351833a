#include "report/run_report.h"

#include <fmt/format.h>

#include "answers/json_version.h"
#include "answers/observation.h"
#include "answers/repeats.h"
#include "answers/stored_json.h"
#include "base/json.h"
#include "base/text.h"
#include "report/page.h"
#include "report/plan_page.h"
#include "report/sources.h"
#include "report/stored_answer.h"
#include "report/tune_page.h"
#include "space/trial_facts.h"

namespace flyball {
namespace {

// Where each trial was measured. A failed trial has no power total: it belongs where the others of
// its board and conditions do.
std::vector<size_t> sources_of(const std::vector<StoredMeasurement>& trials, Sources& sources) {
  std::vector<size_t> origin(trials.size());
  for (const bool failed : {false, true})
    for (size_t i = 0; i < trials.size(); ++i)
      if (trials[i].measurement.failed() == failed) origin[i] = sources.of(trials[i]);
  return origin;
}

Json idle_json(const BoardCosts& costs, const StoredMeasurement& stored) {
  const StoredIdle* idle = idle_of(costs, stored);
  return idle ? to_json(idle_share(*idle, stored.measurement.power->mean_w)) : Json();
}

Json trial_json(const StoredMeasurement& stored, const std::string& source,
                const BoardCosts& costs) {
  const Measurement& m = stored.measurement;
  Json json{{"id", stored.id},
            {"workload", m.trial.job.workload},
            {"phase", phase_name(m.trial.job.phase)},
            {"config", all_settings(m.trial)},
            {"source", source}};
  json.update(trial_intervals(m));
  json.update(trial_facts(m));
  json["conditions"] = or_null(m.conditions);
  json["run"] = or_null(stored.run);
  json["reused"] = stored.reused;
  json["idle"] = idle_json(costs, stored);
  return json;
}

}  // namespace

const StoredIdle* idle_of(const BoardCosts& costs, const StoredMeasurement& stored) {
  const Measurement& m = stored.measurement;
  if (!m.power || m.failed() || m.provenance != Provenance::measured) return nullptr;
  return costs.idle_of(m.fingerprint, m.power->total, m.trial.mode, stored.board);
}

Json stored_run_json(const StoredRun& run) {
  Json answer = Json::parse(run.answer, nullptr, false);
  const Json request = Json::parse(run.request.request, nullptr, false);
  const RunSummary summary = summary_of(run);
  Json json{{"id", run.id},
            {"command", run.request.command},
            {"device", run.request.device},
            {"fingerprint", run.request.fingerprint},
            {"conditions", or_null(run.request.conditions)},
            {"seed", run.request.seed},
            {"started_utc", run.started_utc},
            {"finished_utc", text_or_null(run.finished_utc)},
            {"state", run_state_name(run.state)},
            {"measurements", run.rows()},
            {"reused", run.reused},
            {"workload", text_or_null(summary.workload)},
            {"best", text_or_null(summary.best)},
            {"choice", text_or_null(summary.choice)},
            {"record", text_or_null(run.request.record)},
            {"request", request.is_discarded() ? Json(run.request.request) : request},
            {"answer", answer.is_discarded() ? Json(nullptr) : upgraded(std::move(answer))}};
  if (run.origin)
    json["origin"] = {
        {"store", run.origin->store}, {"name", run.origin->name}, {"run", run.origin->run}};
  return json;
}

Json stored_run_json(const StoredRun& run, const std::vector<StoredMeasurement>& trials,
                     const BoardCosts& costs, const std::vector<StoredFigures>& experiment_runs) {
  Json json = stored_run_json(run);
  Sources sources;
  const std::vector<size_t> origin = sources_of(trials, sources);
  json["sources"] = sources_json(sources);
  json["trials"] = Json::array();
  for (size_t i = 0; i < trials.size(); ++i)
    json["trials"].push_back(trial_json(trials[i], sources.all()[origin[i]].name, costs));
  for (const StoredFigures& one : experiment_runs) {
    Json row{{"id", one.id}, {"run", or_null(one.run)}, {"reused", one.reused}};
    row.update(run_json(one.figures));
    json["experiment_runs"].push_back(std::move(row));
  }
  return json;
}

std::string recorded_kind(const StoredRun& run) {
  return text_of(stored_document(run.request.request), "recorded");
}

Json run_report(const StoredRun& run, const std::vector<StoredMeasurement>& trials,
                const BoardCosts& costs, const std::vector<StoredFigures>& experiment_runs) {
  const Json answer = complete_answer(run, trials, experiment_runs);
  if (recorded_kind(run) == "profile" && run.state == RunState::done)
    return page_document("profile", run.request.command, stored_document(run.answer));
  if (answer.contains("problem")) return plan_page(answer, run.request.command);
  if (answer.contains("per")) return tune_page(answer, run.request.command);
  if (answer.contains("experiment"))
    return page_document("experiment", run.request.command, answer);
  return page_document("run", run.request.command,
                       stored_run_json(run, trials, costs, experiment_runs));
}

}  // namespace flyball
