#include "cli/trace_files.h"

#include <fmt/format.h>

#include "base/files.h"
#include "cli/checks.h"
#include "cli/quantities.h"
#include "telemetry/sampling/time_stamp.h"
#include "telemetry/sensors/board_sensors.h"
#include "telemetry/sensors/detail_sensors.h"
#include "telemetry/sensors/system_sensors.h"

namespace flyball::cli {

AddedOptions TraceFiles::add_options(CLI::App& command) {
  AddedOptions added = add_plug_options(command);
  added.push_back(writes(command.add_option(
      "--trace", trace,
      "Write a Chrome trace (chrome://tracing, ui.perfetto.dev) of all sensors")));
  added.push_back(writes(command.add_option("--csv", csv, "Write what the sensors showed as CSV")));
  return added;
}

AddedOptions TraceFiles::add_plug_options(CLI::App& command) {
  CLI::Option* log = command.add_option(
      "--plug", plug,
      "Log of a plug meter (CSV: time, watts) or of tegrastats, joined by time at the end");
  AddedOptions added = add_plug_clock(command);
  added.insert(added.begin(), log);
  return added;
}

AddedOptions TraceFiles::add_plug_clock(CLI::App& command) {
  return {
      add_duration(
          command, "--plug-zone", [this](Seconds time) { plug_options.utc_offset_s = time.value; },
          "Zone of the log's times that name none, as time east of Greenwich, e.g. 1h"),
      add_duration(
          command, "--plug-ahead",
          [this](Seconds time) { plug_options.clock_ahead_s = time.value; },
          "What the meter's clock is ahead of this machine's, e.g. 250ms"),
      command.add_option("--plug-begin", plug_begin,
                         "When the first line of a log of tegrastats without times (before JetPack "
                         "5) was written, e.g. 2026-03-01T12:30:05Z"),
      add_duration(command, "--plug-interval", [this](Seconds time) { plug_interval = time; },
                   "Time from one line of such a log to the next; default: 1s",
                   {1e-3, 3600, "1ms to 1h"})};
}

SensorList TraceFiles::context(const std::filesystem::path& root) const {
  SensorList context;
  if (trace.empty() && csv.empty()) return context;
  context = open_system_sensors(root);
  context.append(open_detail_sensors(root));
  context.append(open_clock_sensors(root));
  context.append(open_board_sensors(root));
  context.append(open_thermal_sensors(root));
  return context;
}

SensorList TraceFiles::context_with_gpu(const std::filesystem::path& root) const {
  return trace.empty() && csv.empty() ? open_board_gpu(root) : context(root);
}

Status TraceFiles::check() const {
  FLYBALL_ASSIGN([[maybe_unused]] const TegrastatsOptions clock, tegrastats_options());
  if (!plug.empty()) {
    FLYBALL_ASSIGN([[maybe_unused]] const OpenedFile log, open_regular(plug, size_t{256} << 20));
  }
  for (const std::string& file : {trace, csv})
    if (!file.empty()) FLYBALL_CHECK(check_writable(file));
  return {};
}

Result<std::optional<Trace>> TraceFiles::plug_log() const {
  if (plug.empty()) return std::optional<Trace>();
  FLYBALL_ASSIGN(const std::string text, read_file(plug));
  FLYBALL_ASSIGN(const TegrastatsOptions options, tegrastats_options());
  FLYBALL_ASSIGN(Trace log, parse_power_log(text, plug, plug_options, options));
  return std::optional<Trace>(std::move(log));
}

Result<TegrastatsOptions> TraceFiles::tegrastats_options() const {
  TegrastatsOptions options{.utc_offset_s = plug_options.utc_offset_s,
                            .clock_ahead_s = plug_options.clock_ahead_s};
  options.interval_s = plug_interval.value;
  if (plug_begin.empty()) return options;
  options.begin_unix_s = parse_time_stamp(plug_begin, plug_options.utc_offset_s);
  if (!options.begin_unix_s)
    return Error{Code::invalid_argument, fmt::format("--plug-begin '{}' is no time", plug_begin),
                 "seconds since 1970, or like 2026-03-01T12:30:05Z"};
  return options;
}

Status TraceFiles::write(const std::vector<Trace>& traces, const std::vector<Span>& spans,
                         int64_t origin_ns) const {
  Status first, second;
  if (!trace.empty()) first = write_file(trace, chrome_trace(traces, spans, origin_ns));
  if (!csv.empty()) second = write_file(csv, traces_csv(traces, origin_ns));
  return first.ok() ? second : first;
}

}  // namespace flyball::cli
