#include "answers/answer.h"

#include <fmt/format.h>

#include <set>

#include "base/json.h"
#include "base/units.h"
#include "search/registry.h"
#include "telemetry/sensors/power_sensors.h"

namespace flyball {
namespace {

Json device_json(const ProfilerInfo& board) {
  return {{"name", board.device},
          {"title", board.device_title},
          {"fingerprint", board.fingerprint},
          {"conditions", board.conditions},
          {"power_total", text_or_null(board.power_total)},
          {"power_gap", text_or_null(board.power_gap)},
          {"gaps", board.gaps}};
}

template <class Counts>
size_t distinct_configurations(std::span<const Observation> trials, Counts&& counts) {
  std::set<std::pair<size_t, size_t>> distinct;
  for (const Observation& trial : trials)
    if (counts(trial)) distinct.emplace(trial.role, trial.config);
  return distinct.size();
}

}  // namespace

size_t SearchAnswer::configurations_profiled() const {
  return distinct_configurations(profiled, [](const Observation&) { return true; });
}

std::vector<Reused> SearchAnswer::reused() const {
  return reused_trials(profiled, run, started_utc);
}

void SearchAnswer::refuse(Refusal refusal) {
  infeasible = std::move(refusal.why_not);
  remedies = std::move(refusal.remedies);
}

std::string effort_text(const SearchAnswer& answer, size_t offered) {
  if (knows_all(answer.request.strategy))
    return fmt::format("all {} configurations are known", offered);
  const size_t known = answer.configurations_profiled();
  const std::string text =
      known_text(known, offered, answer.profiled.size(), answer.reused(), answer.request.caller);
  if (!text.empty()) return text;
  const size_t made = distinct_configurations(
      answer.profiled, [](const Observation& trial) { return !trial.from_store; });
  const size_t read = distinct_configurations(answer.profiled, [](const Observation& trial) {
    return !trial.from_store && !trial.measurement.failed();
  });
  const size_t before = known - made;
  return fmt::format("{} of {} configurations profiled in {}{}{}", made, offered,
                     format_seconds({answer.seconds}),
                     read < made ? fmt::format(", {} of them failed", made - read) : "",
                     before > 0 ? fmt::format(", {} known before", before) : "");
}

std::string power_notice(const ProfilerInfo& profiler) {
  if (profiler.power_gap.empty()) return "";
  return profiler.live ? brief_power_gap(std::string(no_power_here)) : profiler.power_gap;
}

Json asked_json(const SearchAnswer& answer) {
  Workloads workloads;
  for (const ProfilerInfo& workload : answer.workloads) workloads.push_back(&workload);
  return {{"schema", json_schema},
          {"request", request_json(answer.request, workloads)},
          {"device", device_json(answer.board())}};
}

Json search_json(const SearchAnswer& answer, size_t offered) {
  Json json;
  json["infeasible"] =
      answer.infeasible ? infeasible_json(*answer.infeasible, answer.remedies) : Json(nullptr);
  json["effort"] = effort_text(answer, offered);
  json["reused"] = reused_json(answer.reused());
  json["profiles"] = answer.profiles;
  json["trials"] = knows_all(answer.request.strategy) ? 0 : answer.profiled.size();
  json["profiled"] = Json::array();
  for (const Observation& trial : answer.profiled) json["profiled"].push_back(to_json(trial));
  json["set_aside"] = Json::array();
  for (const SetAside& trial : answer.set_aside) json["set_aside"].push_back(to_json(trial));
  json["presets"] = Json::array();
  for (const PresetAnswer& preset : answer.presets) json["presets"].push_back(to_json(preset));
  json["stopped"] = answer.stopped;
  json["run"] = or_null(answer.run);
  json["notes"] = answer.notes;
  json["started_utc"] = answer.started_utc;
  json["seconds"] = answer.seconds;
  json["own_seconds"] = answer.own_seconds;
  return json;
}

Json modes_json(const std::optional<KeptModes>& modes) {
  if (!modes) return nullptr;
  return {{"asked", modes->asked},
          {"kept", modes->kept},
          {"of", modes->of},
          {"seed", or_null(modes->seed)},
          {"notes", modes->notes}};
}

}  // namespace flyball
