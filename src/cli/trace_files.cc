#include "cli/trace_files.h"

#include <unistd.h>

#include <cerrno>

#include "base/files.h"
#include "cli/checks.h"
#include "cli/quantities.h"
#include "telemetry/sensors/board_sensors.h"
#include "telemetry/sensors/detail_sensors.h"
#include "telemetry/sensors/system_sensors.h"

namespace flyball::cli {

void TraceFiles::add_options(CLI::App& command) {
  command.add_option("--trace", trace,
                     "write a Chrome trace (chrome://tracing, ui.perfetto.dev) of all sensors");
  command.add_option("--csv", csv, "write what the sensors showed as CSV");
  add_plug_options(command);
}

void TraceFiles::add_plug_options(CLI::App& command) {
  command.add_option("--plug", plug,
                     "log of a plug meter (CSV: time, watts), joined by time at the end");
  add_duration(
      command, "--plug-zone", [this](Seconds time) { plug_options.utc_offset_s = time.value; },
      "of its times without a zone: so far east of Greenwich, e.g. 1h");
  add_duration(
      command, "--plug-ahead", [this](Seconds time) { plug_options.clock_ahead_s = time.value; },
      "what the meter's clock is ahead of this machine's, e.g. 250ms");
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

Status TraceFiles::check() const {
  if (!plug.empty() && ::access(plug.c_str(), R_OK) != 0)
    return file_error("read the plug meter's log", plug, errno);
  for (const std::string& file : {trace, csv})
    if (!file.empty()) FLYBALL_CHECK(check_writable(file));
  return {};
}

Result<std::optional<Trace>> TraceFiles::plug_log() const {
  if (plug.empty()) return std::optional<Trace>();
  FLYBALL_ASSIGN(Trace log, read_plug_log(plug, plug_options));
  return std::optional<Trace>(std::move(log));
}

Status TraceFiles::write(const std::vector<Trace>& traces, const std::vector<Span>& spans,
                         int64_t origin_ns) const {
  Status first, second;
  if (!trace.empty()) first = write_file(trace, chrome_trace(traces, spans, origin_ns));
  if (!csv.empty()) second = write_file(csv, traces_csv(traces, origin_ns));
  return first.ok() ? second : first;
}

}  // namespace flyball::cli
