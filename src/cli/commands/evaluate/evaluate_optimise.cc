#include <fmt/format.h>

#include "base/text.h"
#include "cli/action.h"
#include "cli/commands/evaluate/evaluate.h"
#include "cli/common_options.h"
#include "cli/output.h"
#include "cli/tables.h"
#include "evaluate/optimise_eval.h"
#include "predict/design/design.h"
#include "predict/registry/registry.h"

namespace flyball::cli {
namespace {

struct Options {
  std::string target, workload, phase, budgets = "17:50:1W";
  std::vector<std::string> references;
  Accepted accepted;
  OptimiseEvaluation evaluation;
  bool json = false, quiet = false;
};

std::string spread(const Quartiles& q) {
  return fmt::format("{} ({}-{})", number(q.median), number(q.q1), number(q.q3));
}

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
    table.add({row.predictor, spread(row.score.raw_penalty), spread(row.score.robust_penalty),
               number(row.score.area_w), number(row.score.al_pct), number(row.score.al1_pct),
               fmt::format("{}", row.score.exceeded), fmt::format("{}", row.score.unsolved),
               number(row.extra_mean)});
  }
  fmt::print("{}\n", table.str());
  fmt::print(
      "robust: without {} rows whose power lies more than 6 % below their neighbours'; exceeded "
      "and unsolved count all runs\n",
      report.suspicious_rows);
  for (const OptimiseRow& row : report.rows) {
    if (!row.error.empty()) fmt::print("{} failed: {}\n", row.predictor, row.error);
    for (const std::string& note : row.notes) fmt::print("note: {}\n", note);
  }
}

Status run(Options& options) {
  OptimiseEvaluation& evaluation = options.evaluation;
  FLYBALL_ASSIGN(evaluation.budgets_w, parse_budgets(options.budgets));
  FLYBALL_ASSIGN(evaluation.target,
                 read_workload(options.target, options.workload, options.phase, options.accepted));
  FLYBALL_ASSIGN(evaluation.references, read_references(options.references, options.accepted));
  Progress progress(options.quiet);
  evaluation.progress = [&](size_t done, size_t all) { progress.show(done, all, "runs"); };
  const auto report = evaluate_optimise(evaluation);
  progress.finish();
  if (!report) return report.error();
  if (options.json)
    print_json(to_json(*report));
  else
    print_text(*report);
  return {};
}

}  // namespace

void add_evaluate_optimise(CLI::App& group, Context& context) {
  CLI::App* command = group.add_subcommand(
      "optimise", "how good modes chosen from predictions are, under power budgets");
  auto options = std::make_shared<Options>();
  OptimiseEvaluation& evaluation = options->evaluation;
  evaluation.predictors = {default_predictor()};
  std::vector<std::string> plans;
  for (const DesignEntry& entry : designs()) plans.push_back(entry.name);
  command->add_option("--target", options->target, "measured table, the truth")->required();
  command->add_option("--workload", options->workload, "of the target, where it holds several");
  command->add_option("--phase", options->phase, "train or infer, likewise");
  add_reference_option(*command, options->references);
  add_accept_option(*command, options->accepted);
  add_predictors_option(*command, evaluation.predictors);
  command->add_option("--modes", evaluation.modes, "number of profiled modes")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--design", evaluation.design, join(plans, ", "))->capture_default_str();
  command->add_option("--budgets", options->budgets, "FIRST:LAST:STEP in W, or a list")
      ->capture_default_str();
  command->add_option("--runs", evaluation.runs, "runs, each with modes of its own")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  add_seed(*command, evaluation.seed);
  command
      ->add_option(
          "--verify", evaluation.verify,
          "let the default strategy measure at most so many more modes, and answer a measured one")
      ->capture_default_str();
  command
      ->add_option("--confidence", evaluation.confidence,
                   "probability that a choice keeps its budget; 0.5 takes the mean")
      ->capture_default_str();
  command->add_flag("--predictions-only", evaluation.predictions_only,
                    "as published: profiled modes, too, as predicted");
  add_threads(*command, evaluation.threads);
  add_json_flag(*command, options->json);
  add_quiet(*command, options->quiet);
  command->footer(
      "Example:\n  flyball evaluate optimise --target target.csv --reference earlier.csv "
      "--predictor linear --modes 50 --budgets 17:50:1W --verify 3");
  set_action(*command, context, [options] { return run(*options); });
}

}  // namespace flyball::cli
