#include <fmt/format.h>

#include "base/clock.h"
#include "cli/action.h"
#include "cli/commands/twin/twin_commands.h"
#include "cli/output.h"
#include "cli/tables.h"
#include "evaluate/twin_eval.h"

namespace flyball::cli {
namespace {

struct TwinCalibrateArguments {
  std::vector<std::string> targets;
  TwinFitOptions fit;
};

Status run(const TwinCalibrateArguments& options) {
  FLYBALL_ASSIGN(const std::vector<WorkloadTable> tables,
                 read_references(options.targets, Accepted{}));
  std::vector<TwinCase> cases;
  for (const WorkloadTable& table : tables) {
    if (table.device != tables.front().device)
      return Error{
          Code::invalid_argument,
          fmt::format("the tables are of {} and of {}", tables.front().device, table.device),
          "constants are of one board"};
    FLYBALL_ASSIGN(TwinCase one, twin_case(table));
    cases.push_back(std::move(one));
  }
  if (cases.empty())
    return Error{Code::invalid_argument, "the tables hold no rows", "name measured tables"};
  FLYBALL_ASSIGN(const TwinBoard board, find_twin_board(tables.front().device));
  FLYBALL_ASSIGN(const TwinFit fit, calibrate_twin(board, cases, options.fit));
  fmt::print("# {}: fitted in {} rounds to up to {} rows of each of {} tables\n", board.id,
             fit.rounds, options.fit.rows, tables.size());
  for (const WorkloadTable& table : tables) fmt::print("#   {}\n", table.title());
  fmt::print("# mean robust loss of a row: {} before, {} after\n", number(fit.loss_before),
             number(fit.loss));
  if (!fit.at_bound.empty()) fmt::print("# at a bound: {}\n", fmt::join(fit.at_bound, ", "));
  fmt::print("[twin]\nlike = \"{}\"\ncalibrated = \"{}, {} table{}\"\n\n{}", board.id,
             wall_clock_utc().substr(0, 10), tables.size(), tables.size() == 1 ? "" : "s",
             format_twin_constants(fit.constants));
  return {};
}

}  // namespace

void add_twin_calibrate(CLI::App& twin, Context& context) {
  CLI::App* command = twin.add_subcommand(
      "calibrate",
      "Fit a board's constants to tables measured on it; prints them as a board's file");
  auto options = std::make_shared<TwinCalibrateArguments>();
  command->add_option("--truth", options->targets, "Measured tables of one board")->required();
  command->add_option("--rows", options->fit.rows, "Rows of each table, evenly spread")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--rounds", options->fit.rounds, "Most rounds of the fit")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--fix", options->fit.fixed, "Constants that stay")->delimiter(',');
  command->footer(
      "Example:\n  flyball twin calibrate --truth train.csv --truth infer.csv --rows 200");
  set_action(*command, context, [options] { return run(*options); });
}

}  // namespace flyball::cli
