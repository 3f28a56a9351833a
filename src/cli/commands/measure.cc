#include "telemetry/process/measure.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/quantities.h"
#include "cli/recording/record_options.h"
#include "cli/trace_files.h"
#include "telemetry/process/command.h"
#include "telemetry/sensors/power_sensors.h"

namespace flyball::cli {
namespace {

struct MeasureArguments {
  Seconds interval{0.01};
  std::string root = "/";
  TraceFiles files;
  RecordOption record;
  bool json = false, wait_for_all = false;
  std::vector<std::string> command;
};

// The command's own result counts more than a log or a file that fails: both are only reported.
void join_plug_log(const MeasureArguments& options, MeasureResult& result) {
  auto log = options.files.plug_log();
  if (log && !*log) return;
  Status joined = log ? join_plug(result, **std::move(log)) : Status(log.error());
  if (!joined.ok()) result.missing.push_back(joined.error().within("plug meter"));
}

Status write_traces(const MeasureArguments& options, const MeasureResult& result) {
  const Span whole{"command", join(result.command, " "), result.begin_ns, result.end_ns};
  return options.files.write(result.traces, {whole}, result.begin_ns);
}

// What explains a run, where a file asks for it.
SensorList context_of(const MeasureArguments& options, const std::filesystem::path& root) {
  SensorList rest = options.files.context(root);
  return rest.sensors.empty() && options.record.given() ? record_context(root) : rest;
}

Status finish_record(MeasureArguments& options, const MeasureResult& result) {
  const std::string command = join(result.command, " ");
  FLYBALL_CHECK(
      options.record.finish({{"command", "begin: " + command, result.begin_ns, result.end_ns},
                             {"command", fmt::format("end: exit code {}", result.exit_code),
                              result.end_ns, result.end_ns}},
                            "command ended", measure_json(result)));
  if (options.record.given() && !options.json)
    fmt::print(stderr, "record        {}\n", options.record.words());
  return {};
}

Result<SamplingListener*> begin_record(MeasureArguments& options, const SensorList& power,
                                       const Context& context) {
  if (!options.record.given()) return static_cast<SamplingListener*>(nullptr);
  FLYBALL_ASSIGN(const auto board, open_named_board("host", options.root));
  return options.record.begin({context.command, "measure", join(options.command, " ")},
                              board->info(), options.interval.value, power);
}

Status run(MeasureArguments& options, Context& context) {
  MeasureOptions measure;
  FLYBALL_CHECK(options.files.check());
  FLYBALL_CHECK(options.record.check());
  measure.interval = options.interval;
  measure.wait_for_all = options.wait_for_all;
  measure.streams = Streams::beside(options.json);
  FLYBALL_ASSIGN(const std::filesystem::path root, root_folder(options.root));
  measure.sensors = open_power_sensors(root);
  measure.context = context_of(options, root);
  const bool traced = !options.files.trace.empty() || !options.files.csv.empty();
  if (options.record.given() && !traced) measure.context_interval = {1.0};
  FLYBALL_ASSIGN(measure.listener, begin_record(options, measure.sensors, context));
  FLYBALL_ASSIGN(MeasureResult result, measure_command(options.command, measure));
  if (result.not_started) {
    report_error(*result.not_started);
    context.exit_code = start_failure_exit_code(*result.not_started);
    options.record.discard();
    return {};
  }
  context.exit_code = result.exit_code;
  join_plug_log(options, result);
  if (options.json)
    print_json(measure_json(result));
  else
    fmt::print(stderr, "{}", measure_text(result));
  const Status recorded = finish_record(options, result);
  const Status exported = write_traces(options, result);
  const Status& written = recorded.ok() ? exported : recorded;
  if (!written.ok() && context.exit_code == 0) return written;
  if (!written.ok()) report_error(written.error());
  return {};
}

}  // namespace

void add_measure(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("measure", "Measure time, CPU, memory, I/O and energy of any command");
  auto options = std::make_shared<MeasureArguments>();
  add_interval(*command, options->interval, "Time between samples of power and memory, 1ms to 1h");
  command->add_flag("--wait-for-all", options->wait_for_all,
                    "Also wait for processes that it leaves behind");
  options->files.add_options(*command);
  options->record.add(*command);
  add_root_option(*command, options->root);
  add_board_name(*command);
  add_json_flag(*command, options->json, "; the command's own output goes to stderr");
  command->add_option("command", options->command, "The command, after --")->required();
  command->footer(
      "The exit code is that of the command; Ctrl-C goes to it, and the result is still printed.\n"
      "Examples:\n  flyball measure -- sleep 1\n"
      "  flyball measure --trace out.json --plug meter.csv -- python3 train.py");
  set_action(*command, context, [options, &context] { return run(*options, context); });
}

}  // namespace flyball::cli
