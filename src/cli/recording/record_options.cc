#include "cli/recording/record_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/checks.h"
#include "cli/quantities.h"
#include "device/registry/live_knobs.h"
#include "recording/frame_record.h"
#include "telemetry/sampling/plug_meter.h"
#include "telemetry/sampling/time_stamp.h"
#include "telemetry/sensors/board_sensors.h"
#include "telemetry/sensors/detail_sensors.h"
#include "telemetry/sensors/power_sensors.h"
#include "telemetry/sensors/simple_sensors.h"
#include "telemetry/sensors/system_sensors.h"

namespace flyball::cli {

std::string usual_record_file() {
  std::string time;
  for (const char c : wall_clock_utc())
    if (c >= '0' && c <= '9')
      time += c;
    else if (c == 'T')
      time += '-';
  return fmt::format("flyball-{}.flyrec", time);
}

CLI::Option* add_record_bytes(CLI::App& command, uint64_t& bytes) {
  return add_size(
             command, "--most-bytes", [&bytes](uint64_t most) { bytes = most; },
             "Bound of the record: beyond it the oldest samples become values by second, the "
             "oldest seconds minutes")
      ->default_str("256MiB");
}

namespace {

Error no_time(const std::string& option, const std::string& text) {
  return {Code::invalid_argument, fmt::format("{} '{}' is no time", option, text),
          "hours, minutes and seconds since the record began: 10:05 or 10:05:30, with a unit: 90s, "
          "or by the clock: 2026-03-01T12:30:05Z"};
}

// "10:05" and "10:05:30" are hours, minutes and seconds since the record began.
Result<double> parse_clock(const std::string& option, const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  double seconds = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto value = parse_integer(parts[i]);
    const long long most = i == 0 ? 1'000'000 : 59;
    if (!value || *value < 0 || *value > most || parts.size() > 3) return no_time(option, text);
    seconds = 60 * seconds + static_cast<double>(*value);
  }
  return parts.size() == 2 ? 60 * seconds : seconds;
}

// Seconds since the record began: as such, with a unit, or as a time of day with its date.
Result<double> parse_since(const std::string& option, const std::string& text,
                           const RecordInfo& info) {
  if (text.find('T') != std::string::npos)
    if (const auto unix_s = parse_time_stamp(text, 0)) return *unix_s - info.started_unix_s;
  if (text.find(':') != std::string::npos) return parse_clock(option, text);
  const auto duration = parse_seconds(text);
  if (!duration) return duration.error().within(option);
  if (duration->value < 0) return no_time(option, text);
  return duration->value;
}

Result<int64_t> parse_moment(const std::string& option, const std::string& text,
                             const RecordInfo& info) {
  FLYBALL_ASSIGN(const double seconds, parse_since(option, text, info));
  return std::llround(std::clamp(seconds, 0.0, 3e9) * ticks_per_s);
}

}  // namespace

CLI::Option* RecordOption::add(CLI::App& command) {
  return writes(command.add_option(
      "--record", file_,
      "Write a record of all sensors while it runs (`flyball report FILE` shows it)"));
}

Status RecordOption::check() const {
  std::error_code ignored;
  if (!given() || !std::filesystem::exists(file_, ignored)) return {};
  return Error{Code::invalid_argument, fmt::format("{} is there already", file_),
               "a record is never written over: name another file, or remove it"};
}

SamplingListener* RecordOption::begin(const RecordedCommand& recorded, const BoardInfo& board,
                                      double interval_s, const SensorList& power) {
  if (!given()) return nullptr;
  run_ = std::make_shared<RunOfRecord>(recorded, board.device, file_);
  RecordInfo info{.command = recorded.command,
                  .device = board.name.text(),
                  .board = board.device.title,
                  .provenance = "measured",
                  .remarks = "",
                  .started_utc = "",
                  .rate_hz = 1 / interval_s,
                  .most_bytes = most_bytes_,
                  .gaps = power.gaps,
                  .runs = run_->runs()};
  recording_ = std::make_shared<SamplerRecording>(file_, std::move(info));
  return recording_.get();
}

Status RecordOption::finish(const std::vector<Span>& spans, const std::string& stopped,
                            const Json& answer) {
  if (!recording_) return {};
  constexpr size_t most_marks = 2000;  // epochs and windows, not every minibatch
  if (spans.size() <= most_marks)
    for (const Span& span : spans) recording_->mark(span.begin_ns, span.name);
  recording_->set_runs(run_->runs());
  FLYBALL_CHECK(recording_->finish(stopped));
  run_->finish(answer);
  return {};
}

void discard(SamplerRecording& recording, const std::filesystem::path& file) {
  (void)recording.finish("the command did not start");
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
}

// That it could not be written is no news beside why there is no answer.
void RecordOption::give_up(const std::string& why) {
  if (!recording_) return;
  recording_->set_runs(run_->runs());
  (void)recording_->finish(why);
  run_.reset();
  recording_.reset();
}

void RecordOption::discard() {
  if (!recording_) return;
  cli::discard(*recording_, file_);
  run_.reset();
  recording_.reset();
}

std::string RecordOption::words() const {
  return fmt::format("{} (`flyball report {}` shows it)", file_, file_);
}

void RecordStretch::add_options(CLI::App& command) {
  command.add_option(
      "--from", from,
      "Beginning of the part of a record, as 10:05 (hours and minutes since it began), "
      "10:05:30, 90s or 2026-03-01T12:30:05Z; a shorter stretch is shown finer");
  command.add_option("--to", to, "End of the part of a record, likewise");
}

Result<RecordView> RecordStretch::in(const RecordReader& reader) const {
  RecordView view{.begin = 0, .end = reader.end()};
  if (!from.empty()) {
    FLYBALL_ASSIGN(view.begin, parse_moment("--from", from, reader.info()));
  }
  if (!to.empty()) {
    FLYBALL_ASSIGN(view.end, parse_moment("--to", to, reader.info()));
  }
  if (!from.empty() && !to.empty() && view.begin >= view.end)
    return Error{Code::invalid_argument, fmt::format("--from {} is not before --to {}", from, to),
                 "swap them"};
  view.end = std::min(view.end, reader.end());
  if (view.begin < view.end) return view;
  const std::string length = format_seconds({static_cast<double>(reader.end()) / ticks_per_s});
  const bool clock = from.find(':') != std::string::npos || to.find(':') != std::string::npos;
  return Error{
      Code::invalid_argument,
      reader.end() > 0 ? "nothing of the record lies there" : "the record is empty",
      fmt::format("it began at {} and is {} long{}", reader.info().started_utc, length,
                  clock ? "; 10:05 is ten hours and five minutes later, 10min ten minutes" : "")};
}

SensorList record_context(const std::filesystem::path& root) {
  SensorList context = open_system_sensors(root);
  context.append(open_page_cache_sensor(root));
  context.append(open_detail_sensors(root));
  context.append(open_clock_sensors(root));
  context.append(open_board_sensors(root));
  context.append(open_thermal_sensors(root));
  return context;
}

namespace {

// "cpu_mhz_cap", …: which power mode it was, second by second.
SensorList cap_sensors(const Board& board, const std::filesystem::path& root) {
  SensorList list;
  auto opened = open_live_knobs(board.info().name, identify_board(root), root);
  if (!opened) return list;
  const std::shared_ptr<BoardDevice> device = *std::move(opened);
  for (const KnobPtr& knob : device->knobs())
    if (knob->cap())
      list.sensors.push_back(
          function_sensor({.name = cap_name(knob->axis().name),
                           .unit = knob->axis().unit.empty() ? "1" : knob->axis().unit,
                           .source = "caps"},
                          [device, at = knob.get()](int64_t) { return at->cap(); }));
  return list;
}

}  // namespace

RecordSensors open_record_sensors(const Board& board, const std::filesystem::path& root) {
  SensorList all = open_power_sensors(root, board.info().gpu);
  RecordSensors sensors{.power = {}, .rest = record_context(root)};
  sensors.rest.append(cap_sensors(board, root));
  for (const SensorPtr& sensor : all.sensors) {
    if (repeats_another(sensor->info(), all)) continue;
    SensorList& list = is_power(sensor->info()) ? sensors.power : sensors.rest;
    list.sensors.push_back(sensor);
  }
  sensors.power.gaps = std::move(all.gaps);
  return sensors;
}

}  // namespace flyball::cli
