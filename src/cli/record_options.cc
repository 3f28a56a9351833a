#include "cli/record_options.h"

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
#include "telemetry/sensors/board_sensors.h"
#include "telemetry/sensors/detail_sensors.h"
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

// "10:05" and "10:05:30" are hours, minutes and seconds; else a duration with its unit.
Result<int64_t> parse_moment(const std::string& option, const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  double seconds = 0;
  if (parts.size() == 1) {
    const auto duration = parse_seconds(text);
    if (!duration) return duration.error().within(option);
    seconds = duration->value;
  } else {
    for (const std::string& part : parts) {
      unsigned value = 0;
      const auto [end, fault] = std::from_chars(part.data(), part.data() + part.size(), value);
      if (fault != std::errc() || end != part.data() + part.size() || value > 1'000'000)
        return Error{Code::invalid_argument, fmt::format("{} '{}' is no time", option, text),
                     "hours, minutes and seconds since the record began: 10:05 or 10:05:30, or "
                     "with a unit: 90s"};
      seconds = 60 * seconds + value;
    }
    if (parts.size() == 2) seconds *= 60;
  }
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

SamplingListener* RecordOption::begin(const std::string& command, const std::string& device,
                                      const std::string& board, double interval_s,
                                      const SensorList& power) {
  if (!given()) return nullptr;
  RecordInfo info{.command = command,
                  .device = device,
                  .board = board,
                  .provenance = "measured",
                  .remarks = "",
                  .started_utc = "",
                  .rate_hz = 1 / interval_s,
                  .most_bytes = most_bytes_,
                  .gaps = power.gaps};
  recording_ = std::make_shared<SamplerRecording>(file_, std::move(info));
  return recording_.get();
}

Status RecordOption::finish(const std::vector<Span>& spans, const std::string& stopped) {
  if (!recording_) return {};
  constexpr size_t most_marks = 2000;  // epochs and windows, not every minibatch
  if (spans.size() <= most_marks)
    for (const Span& span : spans) recording_->mark(span.begin_ns, span.name);
  return recording_->finish(stopped);
}

void RecordStretch::add_options(CLI::App& command) {
  command.add_option(
      "--from", from,
      "Beginning of the part of a record, as 10:05 (hours and minutes since it began), "
      "10:05:30 or 90s; a shorter stretch is shown finer");
  command.add_option("--to", to, "End of the part of a record, likewise");
}

Result<RecordView> RecordStretch::in(const RecordReader& reader) const {
  RecordView view{.begin = 0, .end = reader.end()};
  if (!from.empty()) {
    FLYBALL_ASSIGN(view.begin, parse_moment("--from", from));
  }
  if (!to.empty()) {
    FLYBALL_ASSIGN(view.end, parse_moment("--to", to));
  }
  view.end = std::min(view.end, reader.end());
  if (view.begin < view.end) return view;
  return Error{Code::invalid_argument,
               reader.end() > 0 ? "nothing of the record lies there" : "the record is empty",
               fmt::format("it is {} long",
                           format_seconds({static_cast<double>(reader.end()) / ticks_per_s}))};
}

SensorList record_context(const std::filesystem::path& root) {
  SensorList context = open_system_sensors(root);
  context.append(open_detail_sensors(root));
  context.append(open_clock_sensors(root));
  context.append(open_board_sensors(root));
  context.append(open_thermal_sensors(root));
  return context;
}

}  // namespace flyball::cli
