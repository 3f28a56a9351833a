#include "cli/trace_files.h"

#include "base/files.h"
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
  command.add_option("--plug-zone", plug_options.utc_offset_s,
                     "of its times without a zone: seconds east of Greenwich");
  command.add_option("--plug-ahead", plug_options.clock_ahead_s,
                     "seconds that the meter's clock is ahead of this machine's");
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
