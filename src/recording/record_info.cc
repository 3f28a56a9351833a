#include "recording/record_info.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"

namespace flyball {

int64_t tick_of(int64_t ns) {
  return ns >= 0 ? (ns + ns_per_tick / 2) / ns_per_tick : -((-ns + ns_per_tick / 2) / ns_per_tick);
}

int64_t floor_to(int64_t tick, int64_t width) {
  const int64_t rest = tick % width;
  return tick - (rest < 0 ? rest + width : rest);
}

void RecordInfo::starts_now() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  started_utc = wall_clock_utc();
  started_unix_s = static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

bool RecordChannel::tells_power() const {
  return info.kind == SensorKind::power || info.kind == SensorKind::energy_counter;
}

double RecordChannel::summary_step() const {
  return info.kind == SensorKind::energy_counter ? 1e-3 : step;
}

namespace {

// INA3221, INA238 behind a hwmon driver, NVML: milliwatts. RAPL: microjoules.
double step_of(const SensorInfo& info) {
  if (info.unit == "J") return info.source == "rapl" ? 1e-6 : 1e-3;
  if (info.unit == "B" || info.unit == "bits") return 1;
  if (info.unit == "s") return 1e-6;
  if (info.unit == "1") return 1e-4;
  return 1e-3;  // W, MHz, C, %
}

std::string sound_text(const Json& json, const char* key) {
  const std::string text = text_of(json, key);
  return text_fault(text).empty() ? text : "";
}

double number_or_zero(const Json& json, const char* key) {
  return number_of(json, key).value_or(0);
}

std::vector<Error> gaps_of(const Json& json) {
  std::vector<Error> gaps;
  const auto found = json.find("gaps");
  if (found == json.end() || !found->is_array()) return gaps;
  for (const Json& gap : *found)
    gaps.push_back({Code::unavailable, sound_text(gap, "message"), sound_text(gap, "hint")});
  return gaps;
}

std::vector<RecordedRun> runs_of(const Json& json) {
  constexpr size_t most_runs = 1000;
  std::vector<RecordedRun> runs;
  const auto found = json.find("runs");
  if (found == json.end() || !found->is_array()) return runs;
  for (const Json& run : *found) {
    const double number = number_or_zero(run, "number");
    if (runs.size() < most_runs && number >= 1 && number <= 1e15)
      runs.push_back({sound_text(run, "store"), sound_text(run, "place"),
                      static_cast<int64_t>(number), sound_text(run, "command")});
  }
  return runs;
}

}  // namespace

RecordChannel record_channel(const SensorInfo& info, double period_s) {
  return {.info = info, .period_s = period_s, .step = step_of(info)};
}

Json recorded_runs_json(const std::vector<RecordedRun>& runs) {
  Json json = Json::array();
  for (const RecordedRun& run : runs)
    json.push_back({{"store", run.store},
                    {"place", run.place},
                    {"number", run.number},
                    {"command", run.command}});
  return json;
}

Json record_info_json(const RecordInfo& info) {
  Json gaps = Json::array();
  for (const Error& gap : info.gaps) gaps.push_back({{"message", gap.message}, {"hint", gap.hint}});
  return {{"command", info.command},
          {"device", info.device},
          {"board", info.board},
          {"provenance", info.provenance},
          {"remarks", info.remarks},
          {"started_utc", info.started_utc},
          {"started_unix_s", info.started_unix_s},
          {"rate_hz", info.rate_hz},
          {"most_bytes", info.most_bytes},
          {"gaps", std::move(gaps)},
          {"runs", recorded_runs_json(info.runs)}};
}

Result<RecordInfo> parse_record_info(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return Error{Code::corrupt, "it does not say what it records", ""};
  RecordInfo info{.command = sound_text(json, "command"),
                  .device = sound_text(json, "device"),
                  .board = sound_text(json, "board"),
                  .provenance = sound_text(json, "provenance"),
                  .remarks = sound_text(json, "remarks"),
                  .started_utc = sound_text(json, "started_utc")};
  info.started_unix_s = number_or_zero(json, "started_unix_s");
  info.rate_hz = number_or_zero(json, "rate_hz");
  info.most_bytes =
      static_cast<uint64_t>(std::clamp(number_or_zero(json, "most_bytes"), 0.0, 1e15));
  info.gaps = gaps_of(json);
  info.runs = runs_of(json);
  return info;
}

}  // namespace flyball
