
#include "base/json.h"
#include "profile/characterise/epochs_report.h"
#include "profile/characterise/program_profile.h"

namespace flyball {
namespace {

Json part_json(const ProgramPart& part) {
  return {{"name", part.name},
          {"minibatches", part.minibatches},
          {"e2e_s", part.e2e_s},
          {"stall_s", or_null(part.stall_s)},
          {"compute_s", or_null(part.compute_s)},
          {"overhead_s", or_null(part.overhead_s)},
          {"minibatch_ms", or_null(part.minibatch_ms)},
          {"energy", energy_json(part.energy)},
          {"gpu", gpu_json(part.gpu)}};
}

}  // namespace

Json program_json(const ProgramProfile& profile) {
  Json json{{"command", profile.request.argv},
            {"started_utc", profile.started_utc},
            {"exit_code", profile.exit_code},
            {"wall_s", profile.wall_s},
            {"start_up_s", profile.start_up_s},
            {"marked", profile.marked ? part_json(*profile.marked) : Json(nullptr)},
            {"lost_marks", profile.lost_marks},
            {"other_marks", profile.other_marks},
            {"cpu_s", profile.cpu_s},
            {"cpu_pct", profile.cpu_pct},
            {"peak_memory_bytes", profile.peak_memory_bytes},
            {"peak_processes", profile.peak_processes},
            {"read_bytes", or_null(profile.read_bytes)},
            {"read_chars", or_null(profile.read_chars)},
            {"energy", energy_json(profile.energy)},
            {"gpu", gpu_json(profile.gpu)},
            {"power_total", profile.power_total},
            {"power_gap", profile.power_gap}};
  json["windows"] = Json::array();
  for (const ProgramPart& window : profile.windows) json["windows"].push_back(part_json(window));
  json["stopped"] = profile.stopped;
  json["disturbed"] = profile.disturbed.empty() ? Json(nullptr) : Json(profile.disturbed);
  return json;
}

}  // namespace flyball
