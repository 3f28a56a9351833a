#include <fmt/format.h>

#include "base/text.h"
#include "cli/action.h"
#include "cli/commands/evaluate/evaluate.h"
#include "cli/commands/evaluate/judged_table.h"
#include "cli/output.h"
#include "cli/tables.h"
#include "evaluate/twin_eval.h"

namespace flyball::cli {
namespace {

struct EvaluateTwinArguments {
  std::vector<std::string> targets;
  std::string workload, phase;
  std::vector<std::string> set;
  Accepted accepted;
  bool json = false;
};

void print_text(const TwinReport& report) {
  fmt::print("simulated against {}\nerrors in percent\n\n", fmt::join(report.targets, ", "));
  TextTable table({"rows", "configurations", "time MAPE", "power MAPE", "time MdAPE", "power MdAPE",
                   "time bias", "power bias"});
  for (const TwinEvalRow& row : report.rows)
    table.add({row.rows, fmt::format("{}", row.configurations), number(row.time_mape),
               number(row.power_mape), number(row.time_mdape), number(row.power_mdape),
               number(row.time_bias), number(row.power_bias)});
  fmt::print(
      "{}\nuncontradicted: without rows whose power lies more than 6 % below what their neighbours "
      "let expect or "
      "whose time lies 30 % off theirs\n",
      table.str());
  fmt::print("constants: {}\n", report.calibrated.empty()
                                    ? "not calibrated on this board: its facts, and its kin's"
                                    : report.calibrated);
}

Status run(const EvaluateTwinArguments& options) {
  std::vector<WorkloadTable> tables;
  if (options.targets.size() == 1) {
    FLYBALL_ASSIGN(WorkloadTable table, read_workload(options.targets.front(), options.workload,
                                                      options.phase, options.accepted));
    tables.push_back(std::move(table));
  } else if (!options.workload.empty() || !options.phase.empty()) {
    return Error{Code::invalid_argument, "--workload and --phase choose among the rows of one file",
                 "give one --truth with them"};
  } else {
    FLYBALL_ASSIGN(tables, read_references(options.targets, options.accepted));
  }
  std::map<std::string, double> constants;
  for (const std::string& one : options.set) {
    const size_t equals = one.find('=');
    const auto value =
        equals == std::string::npos ? std::nullopt : parse_double(one.substr(equals + 1));
    if (!value)
      return Error{Code::invalid_argument, "--set needs NAME=VALUE, not '" + one + "'", ""};
    constants[one.substr(0, equals)] = *value;
  }
  FLYBALL_ASSIGN(const TwinReport report, evaluate_twin(tables, constants));
  if (options.json)
    print_json(to_json(report));
  else
    print_text(report);
  return {};
}

}  // namespace

void add_evaluate_twin(CLI::App& group, Context& context) {
  CLI::App* command = group.add_subcommand(
      "twin", "Judge how far a simulated board is from tables of the true one");
  auto options = std::make_shared<EvaluateTwinArguments>();
  command->add_option("--truth", options->targets, "Measured tables, the truth")->required();
  add_target_options(*command, options->workload, options->phase);
  command->add_option("--set", options->set, "Another constant for this once: NAME=VALUE");
  add_accept_option(*command, options->accepted);
  add_json_flag(*command, options->json);
  command->footer("Example:\n  flyball evaluate twin --truth target.csv --json");
  set_action(*command, context, [options] { return run(*options); });
}

}  // namespace flyball::cli
