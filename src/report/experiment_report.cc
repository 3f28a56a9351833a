#include "report/experiment_report.h"

#include "base/json.h"
#include "experiment/summary.h"

namespace flyball {
namespace {

using Json = nlohmann::ordered_json;

Json epochs_of(const Group& group) {
  Json list = Json::array();
  for (const RunFigures* run : group.runs)
    for (const EpochFigures& epoch : run->epochs)
      list.push_back({{"repeat", run->repeat},
                      {"epoch", epoch.epoch},
                      {"e2e_s", epoch.e2e_s},
                      {"stall_s", epoch.stall_s},
                      {"compute_s", epoch.compute_s},
                      {"overhead_s", epoch.overhead_s},
                      {"loss", epoch.loss},
                      {"cached", or_null(epoch.cached_before)},
                      {"read_bytes", or_null(epoch.read_bytes)},
                      {"energy_j", or_null(epoch.energy_j)},
                      {"others_cpu_pct", or_null(epoch.others_cpu_pct)},
                      {"disturbed", run->disturbed.empty() ? Json(nullptr) : Json(run->disturbed)},
                      {"minibatch_ms", epoch.minibatch_ms.quantiles}});
  return list;
}

Json group_json(const Group& group) {
  return {{"label", group.label},
          {"doubts", doubts_json(group)},
          {"first", average_json(group.first)},
          {"later", group.later ? average_json(*group.later) : Json(nullptr)},
          {"epochs", epochs_of(group)}};
}

Json facts_of(const ExperimentResult& result) {
  Json facts = Json::array();
  if (result.runs.empty()) return facts;
  const RunFigures& run = result.runs.front();
  facts.push_back(
      {{"name", "samples of the dataset"}, {"value", std::to_string(run.dataset_samples)}});
  facts.push_back({{"name", "bytes of its files"},
                   {"value", std::to_string(static_cast<int64_t>(run.dataset_bytes))}});
  if (!result.compute.empty())
    facts.push_back({{"name", "networks compute on"}, {"value", result.compute}});
  return facts;
}

// Of a simulated board, which its title says.
bool simulated(const ExperimentResult& result) {
  return result.device.ends_with("(simulated)");
}

}  // namespace

Json experiment_report(const ExperimentResult& result, const std::string& command) {
  const auto groups = groups_of(result);
  Json json{{"schema", "flyball-report/2"},
            {"kind", "experiment"},
            {"title", result.spec.title + (simulated(result) ? " (simulated)" : "")},
            {"question", question_name(result.spec.question)},
            {"workload", result.spec.fixed.workload},
            {"phase", phase_name(result.spec.fixed.phase)},
            {"command", command},
            {"fixed", settings_json(result.spec.fixed)}};
  json["varied"] = Json::array();
  for (const Varied& varied : result.spec.vary) json["varied"].push_back(varied.name);
  json["groups"] = Json::array();
  for (const Group& group : groups) json["groups"].push_back(group_json(group));
  json["findings"] = Json::array();
  for (const Finding& finding : findings_of(result, groups))
    json["findings"].push_back(
        {{"text", finding.text},
         {"as_expected", finding.as_expected ? Json(*finding.as_expected) : Json(nullptr)}});
  json["notes"] = Json::array();
  for (const std::string& gap : gaps_of(result))
    json["notes"].push_back({{"level", "gap"}, {"text", gap}});
  for (const std::string& doubt : doubts_of(result))
    json["notes"].push_back({{"level", "warning"}, {"text", doubt}});
  json["machine"] = {
      {"name", result.device}, {"fingerprint", result.fingerprint}, {"facts", facts_of(result)}};
  const std::string total = result.runs.empty() ? "" : result.runs.front().power_total;
  json["run"] = {
      {"id", result.spec.name},
      {"started_at", result.runs.empty() ? result.started_utc : result.runs.front().started_utc},
      {"duration_s", result.seconds},
      {"seed", result.spec.fixed.seed},
      {"strategy", "every setting, repeat by repeat"},
      {"predictor", nullptr},
      {"power_total", total.empty() ? Json(nullptr) : Json(total)},
      {"intervals", Json::object()},
      {"versions", {{"flyball", FLYBALL_VERSION}}}};
  return json;
}

}  // namespace flyball
