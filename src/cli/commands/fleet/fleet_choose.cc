#include <fmt/format.h>

#include "cli/action.h"
#include "cli/checks.h"
#include "cli/commands/fleet/fleet.h"
#include "cli/common_options.h"
#include "cli/output.h"
#include "cli/quantities.h"
#include "cli/tables.h"
#include "cli/text/fleet_text.h"
#include "fleet/choose.h"

namespace flyball::cli {
namespace {

struct FleetChooseArguments {
  FleetOptions fleet;
  FleetTrainingOptions training;
  FleetLimits limits;
  double epochs = 1;
  std::string objective = "energy", unused = "off", store;
  bool each = false, json = false;
  Accepted accepted;
};

Result<FleetQuestion> question_of(const FleetChooseArguments& options) {
  FleetQuestion question;
  question.training = options.training.training();
  question.training.accepted = options.accepted;
  question.epochs = options.epochs;
  question.each = options.each;
  question.unused_idles = options.unused == "idle";
  question.limits = options.limits;
  FLYBALL_ASSIGN(question.objective, parse_fleet_objective(options.objective));
  return question;
}

Status run(const FleetChooseArguments& options, Context& context) {
  FLYBALL_ASSIGN(const FleetQuestion question, question_of(options));
  FLYBALL_ASSIGN(const std::vector<FleetEntry> entries, fleet_entries(options.fleet));
  FLYBALL_ASSIGN(std::vector<FleetKind> kinds,
                 open_fleet(entries, question.training, options.store));
  FLYBALL_ASSIGN(const FleetAnswer answer, choose_fleet(question, std::move(kinds)));
  if (options.json)
    print_json(to_json(answer));
  else
    fmt::print("{}", fleet_choice_text(answer));
  if (answer.infeasible) context.exit_code = report_error(*answer.infeasible);
  return {};
}

void add_limits(CLI::App& command, FleetLimits& limits) {
  add_duration(
      command, "--deadline", [&limits](Seconds time) { limits.deadline_s = time.value; },
      "Time when all must have finished, e.g. 1h", above_zero("s"));
  add_power(
      command, "--power-budget,--power", [&limits](Watts power) { limits.power_w = power.value; },
      "Power of all boards together at most, e.g. 100W", above_zero("W"));
  command
      .add_option_function<size_t>(
          "--count", [&limits](const size_t& count) { limits.count = count; },
          "Boards that run: at most so many where they share the work, exactly so many with --each")
      ->check(CLI::Range(size_t{1}, most_fleet_boards));
}

}  // namespace

void add_fleet_choose(CLI::App& fleet, Context& context) {
  CLI::App* command = fleet.add_subcommand(
      "choose", "Choose boards, each with its mode, so that all finish together at least energy");
  auto options = std::make_shared<FleetChooseArguments>();
  add_fleet_options(*command, options->fleet);
  add_training_of_fleet(*command, options->training);
  command
      ->add_option("--samples", options->training.samples,
                   "Samples of an epoch; default: the network's usual data set")
      ->check(sample_count());
  command->add_option("--epochs", options->epochs, "Epochs over these samples")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_flag("--each", options->each,
                    "Each board does all of the work; default: they share the samples");
  add_limits(*command, options->limits);
  command
      ->add_option("--objective", options->objective,
                   "What is to be small: energy, time (the least deadline) or power")
      ->capture_default_str();
  command
      ->add_option("--unused", options->unused,
                   "State of boards that do not run: off, or idle (their idle power counts)")
      ->check(CLI::IsMember({"off", "idle"}))
      ->capture_default_str();
  add_accept_option(*command, options->accepted);
  add_store_option(*command, options->store);
  add_json_flag(*command, options->json);
  command->footer(
      "Example:\n  flyball fleet choose --workload resnet18 --board "
      "twin:orin_agx=2,twin:orin_nano=4 --deadline 2min --power-budget 100W");
  set_action(*command, context, [options, &context] { return run(*options, context); });
}

}  // namespace flyball::cli
