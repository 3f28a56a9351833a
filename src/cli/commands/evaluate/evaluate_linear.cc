#include <fmt/format.h>

#include "base/figure.h"
#include "base/text.h"
#include "cli/action.h"
#include "cli/commands/evaluate/evaluate.h"
#include "cli/output.h"
#include "evaluate/linear_eval.h"

namespace flyball::cli {
namespace {

constexpr size_t subsets_shown = 5;

struct EvaluateLinearArguments {
  bool json = false;
};

void print_figures(const LinearReport& report) {
  TextTable table({"network", "mode", "s", "predicted", "error %", "published %", "mWh",
                   "predicted", "error %", "published %"});
  for (const LinearNetwork& network : report.networks) {
    for (const LinearRow& row : network.rows)
      table.add({network.workload, row.mode, decimals(row.time.observed, 1),
                 decimals(row.time.predicted, 1), decimals(row.time.error_pct, 1),
                 decimals(row.time.published_error_pct, 1), decimals(row.energy.observed, 0),
                 decimals(row.energy.predicted, 0), decimals(row.energy.error_pct, 0),
                 decimals(row.energy.published_error_pct, 0)});
    table.add({network.workload, "mean", "", "", decimals(network.time_error_pct, 1),
               decimals(network.published_time_error_pct, 1), "", "",
               decimals(network.energy_error_pct, 0),
               decimals(network.published_energy_error_pct, 0)});
  }
  fmt::print("{}", table.str());
}

std::string exceptions(const std::vector<std::string>& names) {
  return names.empty() ? "all" : "all but " + join(names, ", ");
}

void print_text(const LinearReport& report) {
  fmt::print(
      "time of an epoch: one line in the clocks and cores for each network, fitted on modes {}\n"
      "energy of an epoch: offset + time × a line, one for all networks, from the predicted time\n"
      "published: how far the study's own predictions were off\n\n",
      report.fitted);
  print_figures(report);
  fmt::print("\n{} of {} times are within 10 % (published: {})\n", report.under_10_pct,
             report.predictions, report.published_under_10_pct);
  fmt::print("within 15 %: {} (published: {})\n", exceptions(report.over_15_pct),
             exceptions(report.published_over_15_pct));
  for (const LinearNetwork& network : report.networks)
    if (network.ab_initio)
      fmt::print(
          "{} is predicted ab initio: neither were the modes chosen for it nor was its energy "
          "fitted, and what that was is not published\n",
          network.workload);
  fmt::print("\nmodes to fit on, the best of all {}: errors over all modes, added up\n",
             report.subsets.size());
  TextTable subsets({"modes", "RMSE s"});
  for (size_t i = 0; i < std::min(subsets_shown, report.subsets.size()); ++i)
    subsets.add({report.subsets[i].modes, decimals(report.subsets[i].rmse_s, 1)});
  fmt::print(
      "{}\nenergy in mWh: its coefficients, and those that give the printed predictions "
      "back\n",
      subsets.str());
  TextTable energy({"", "fitted", "recovered"});
  for (const LinearCoefficient& one : report.energy)
    energy.add({one.axis.empty() ? "offset" : "time × " + one.axis,
                fmt::format("{:.4g}", one.value), fmt::format("{:.4g}", one.recovered)});
  fmt::print("{}", energy.str());
}

Status run(const EvaluateLinearArguments& options) {
  FLYBALL_ASSIGN(const LinearStudy study, known_linear_study());
  FLYBALL_ASSIGN(const LinearReport report, evaluate_linear(study));
  if (options.json)
    print_json(to_json(report, subsets_shown));
  else
    print_text(report);
  return {};
}

}  // namespace

void add_evaluate_linear(CLI::App& group, Context& context) {
  CLI::App* command = group.add_subcommand(
      "linear", "Fit the published linear predictors of time and energy again");
  auto options = std::make_shared<EvaluateLinearArguments>();
  add_json_flag(*command, options->json);
  command->footer("Example:\n  flyball evaluate linear");
  set_action(*command, context, [options] { return run(*options); });
}

}  // namespace flyball::cli
