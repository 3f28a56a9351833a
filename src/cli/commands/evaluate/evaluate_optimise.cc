#include <fmt/format.h>

#include "cli/action.h"
#include "cli/commands/evaluate/evaluate.h"
#include "cli/commands/evaluate/judged_table.h"
#include "cli/common_options.h"
#include "evaluate/optimise_eval.h"

namespace flyball::cli {
namespace {

struct EvaluateOptimiseArguments : JudgedTable {
  std::string budgets = "17:50:1W";
  OptimiseEvaluation evaluation;
};

void print_text(const OptimiseReport& report) {
  fmt::print("{}: the fastest mode within {} to {} W, {} of {} budgets can be met\n", report.target,
             number(report.budgets_w.front()), number(report.budgets_w.back()), report.solvable,
             report.budgets_w.size());
  fmt::print("{} modes profiled ({}), {} runs, choices at confidence {}", report.modes,
             report.design, report.runs, number(report.confidence));
  if (report.verify > 0) fmt::print(", verified by at most {} more profiles", report.verify);
  fmt::print("\n\n");
  TextTable table({"", "penalty % raw", "penalty % robust", "area W", "A/L %", "A/L+1 %",
                   "exceeded", "unsolved", "extra profiles"});
  for (const OptimiseRow& row : report.rows) {
    if (!row.error.empty()) continue;
    table.add({row.predictor, spread_text(row.score.raw_penalty),
               spread_text(row.score.robust_penalty), number(row.score.area_w),
               number(row.score.al_pct), number(row.score.al1_pct),
               fmt::format("{}", row.score.exceeded), fmt::format("{}", row.score.unsolved),
               number(row.extra_mean)});
  }
  fmt::print("{}\n", table.str());
  fmt::print(
      "robust: without {} rows whose power lies more than 6 % below what their neighbours let "
      "expect; exceeded "
      "and unsolved count all runs\n",
      report.suspicious_rows);
  for (const OptimiseRow& row : report.rows) {
    if (!row.error.empty()) fmt::print("{} failed: {}\n", row.predictor, row.error);
    for (const std::string& note : row.notes) fmt::print("note: {}\n", note);
  }
}

Status run(EvaluateOptimiseArguments& options) {
  FLYBALL_ASSIGN(options.evaluation.budgets_w, parse_budgets(options.budgets));
  return judge(options, options.evaluation, "runs", evaluate_optimise, print_text);
}

}  // namespace

void add_evaluate_optimise(CLI::App& group, Context& context) {
  CLI::App* command =
      group.add_subcommand("optimise", "Judge modes chosen from predictions, under power budgets");
  auto options = std::make_shared<EvaluateOptimiseArguments>();
  OptimiseEvaluation& evaluation = options->evaluation;
  command->add_option("--truth", options->target, "Measured table, the truth")->required();
  add_table_options(*command, *options, evaluation);
  command->add_option("--profiles", evaluation.modes, "Number of profiled modes")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  add_design_option(*command, evaluation.design);
  command
      ->add_option("--budgets", options->budgets, "Power budgets in W: FIRST:LAST:STEP, or a list")
      ->capture_default_str();
  add_run_options(*command, evaluation);
  command
      ->add_option(
          "--verify", evaluation.verify,
          "Most further modes for the default strategy to measure, to answer a measured one")
      ->capture_default_str();
  command
      ->add_option("--confidence", evaluation.confidence,
                   "Probability that a choice keeps its budget; 0.5 takes the mean")
      ->capture_default_str();
  command->add_flag("--predictions-only", evaluation.predictions_only,
                    "Take profiled modes, too, as predicted, as it was published");
  add_threads(*command, evaluation.threads);
  add_output_options(*command, *options);
  command->footer(
      "Example:\n  flyball evaluate optimise --truth target.csv --reference earlier.csv "
      "--predictor linear --profiles 50 --budgets 17:50:1W --verify 3");
  set_action(*command, context, [options] { return run(*options); });
}

}  // namespace flyball::cli
