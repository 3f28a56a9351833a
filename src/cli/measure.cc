#include "telemetry/measure.h"

#include <fmt/format.h>

#include "base/units.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "telemetry/command.h"
#include "telemetry/power_sensors.h"

namespace flyball::cli {
namespace {

struct Options {
  std::string interval = "10ms";
  bool json = false, wait_for_all = false;
  std::vector<std::string> command;
};

int run(const Options& options) {
  MeasureOptions measure;
  const auto interval = parse_seconds(options.interval);
  if (!interval) return report_error(interval.error());
  measure.interval = *interval;
  measure.wait_for_all = options.wait_for_all;
  // The document is alone on stdout.
  measure.stdout_to_stderr = options.json;
  measure.sensors = open_power_sensors();
  const auto result = measure_command(options.command, measure);
  if (!result) {
    report_error(result.error());
    return start_failure_exit_code(result.error());
  }
  if (options.json)
    print_json(measure_json(*result));
  else
    fmt::print(stderr, "{}", measure_text(*result));
  return result->exit_code;
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
  command->add_flag("--json", options->json,
                    "one JSON document on stdout; the command's own output goes to stderr");
  command->add_option("command", options->command, "the command, after --")->required();
  command->footer(
      "The exit code is that of the command; Ctrl-C goes to it, and the result is still printed.\n"
      "Example:\n  flyball measure -- sleep 1");
  command->callback([options, &context] { context.exit_code = run(*options); });
}

}  // namespace flyball::cli
