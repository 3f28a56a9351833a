#include "telemetry/measure.h"

#include <fmt/format.h>

#include "base/files.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "telemetry/command.h"
#include "telemetry/detail_sensors.h"
#include "telemetry/plug_meter.h"
#include "telemetry/power_sensors.h"
#include "telemetry/system_sensors.h"
#include "telemetry/trace_export.h"

namespace flyball::cli {
namespace {

struct Options {
  std::string interval = "10ms", trace, csv, plug;
  PlugOptions plug_options;
  bool json = false, wait_for_all = false;
  std::vector<std::string> command;
};

// The command's own result counts more than a log or a file that fails: both are only reported.
void join_plug_log(const Options& options, MeasureResult& result) {
  if (options.plug.empty()) return;
  auto log = read_plug_log(options.plug, options.plug_options);
  Status joined = log ? join_plug(result, *std::move(log)) : Status(log.error());
  if (!joined.ok()) result.missing.push_back(joined.error().within("plug meter"));
}

bool write_traces(const Options& options, const MeasureResult& result) {
  bool fine = true;
  const auto put = [&](const std::string& path, const auto& text) {
    if (path.empty()) return;
    const Status written = write_file(path, text());
    if (written.ok()) return;
    report_error(written.error());
    fine = false;
  };
  put(options.trace, [&] { return measure_trace(result); });
  put(options.csv, [&] { return traces_csv(result.traces, result.begin_ns); });
  return fine;
}

int run(const Options& options) {
  MeasureOptions measure;
  const auto interval = parse_seconds(options.interval);
  if (!interval) return report_error(interval.error());
  measure.interval = *interval;
  measure.wait_for_all = options.wait_for_all;
  // The document is alone on stdout.
  measure.stdout_to_stderr = options.json;
  measure.sensors = open_power_sensors();
  if (!options.trace.empty() || !options.csv.empty()) {
    measure.context = open_system_sensors();
    measure.context.append(open_detail_sensors());
    measure.context.append(open_clock_sensors());
    measure.context.append(open_thermal_sensors());
  }
  auto result = measure_command(options.command, measure);
  if (!result) {
    report_error(result.error());
    return start_failure_exit_code(result.error());
  }
  join_plug_log(options, *result);
  if (options.json)
    print_json(measure_json(*result));
  else
    fmt::print(stderr, "{}", measure_text(*result));
  const bool written = write_traces(options, *result);
  return result->exit_code == 0 && !written ? 2 : result->exit_code;
}

}  // namespace

void add_measure(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("measure", "time, CPU, memory, I/O and energy of any command");
  auto options = std::make_shared<Options>();
  command->add_option("--interval", options->interval, "between samples of power and memory")
      ->capture_default_str();
  command->add_flag("--wait-for-all", options->wait_for_all,
                    "also wait for processes that it leaves behind");
  command->add_option("--trace", options->trace,
                      "write a Chrome trace (chrome://tracing, ui.perfetto.dev) of all sensors");
  command->add_option("--csv", options->csv, "write what the sensors showed as CSV");
  command->add_option("--plug", options->plug,
                      "log of a plug meter (CSV: time, watts), joined by time at the end");
  command->add_option("--plug-zone", options->plug_options.utc_offset_s,
                      "of its times without a zone: seconds east of Greenwich");
  command->add_option("--plug-ahead", options->plug_options.clock_ahead_s,
                      "seconds that the meter's clock is ahead of this machine's");
  command->add_flag("--json", options->json,
                    "one JSON document on stdout; the command's own output goes to stderr");
  command->add_option("command", options->command, "the command, after --")->required();
  command->footer(
      "The exit code is that of the command; Ctrl-C goes to it, and the result is still printed.\n"
      "Examples:\n  flyball measure -- sleep 1\n"
      "  flyball measure --trace out.json --plug meter.csv -- python3 train.py");
  command->callback([options, &context] { context.exit_code = run(*options); });
}

}  // namespace flyball::cli
