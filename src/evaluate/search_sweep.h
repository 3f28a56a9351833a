// Strategies judged on measured tables: every problem of a set is searched and the answer held
// against the exact optimum.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "problem/paper.h"
#include "search/registry.h"
#include "search/strategy.h"

namespace flyball {

/// What to evaluate.
struct SearchSweep {
  ProblemKind kind = ProblemKind::training;
  /// One table for each role: training first, then inference.
  std::vector<const WorkloadTable*> tables;
  std::vector<std::string> strategies;
  std::vector<ProblemSpec> problems;  ///< empty: the paper's
  size_t every = 1;                   ///< 1: all problems; 10: every tenth
  bool only_paper_modes = true;       ///< the 441 modes of the paper, or every mode of the tables
  /// Serve every role; a table is no reference for itself.
  std::vector<WorkloadTable> references;
  /// profile_budget, seed and predictor; `references`, `cache` and `default_choice` are set here.
  SearchOptions options;
  size_t seeds = 1;    ///< runs of a random strategy; figures are then medians over them
  size_t threads = 0;  ///< 0: all cores; the figures do not depend on it
  /// Called from one thread at a time with searches done and in all.
  std::function<void(size_t done, size_t all)> progress;
};

/// The figures of one strategy. Excess is 100·(value/optimum − 1) in percent over the solved
/// problems: of t_tr for training, of t_in for inference (as published), of peak latency for two
/// inferences; for concurrent problems it is the loss of throughput, 100·(1 − θ/θ_opt). A figure of
/// no problem at all is NaN.
struct SearchRow {
  std::string strategy;
  size_t problems = 0, solvable = 0, solved = 0;
  double median_excess_pct = 0, mean_excess_pct = 0, p90_excess_pct = 0;
  /// Against the optimum without rows of suspicious power; an answer on such a row may be below 0.
  double robust_mean_excess_pct = 0, robust_p90_excess_pct = 0;
  double mean_profiles = 0, max_profiles = 0, mean_trials = 0;  ///< over the solvable problems
  size_t violations = 0, violations_over_1w = 0;  ///< answers whose tabled power is over the budget
  double seconds = 0;                             ///< our own processor time, all problems together
  double mean_latency_excess_pct = 0, median_latency_excess_pct = 0;       ///< inference
  double median_n = 0, mean_n_loss_pct = 0, mean_throughput_loss_pct = 0;  ///< concurrent
};

/// What became of one search for a solvable problem.
struct SearchCase {
  std::string strategy;
  uint64_t seed = 1;
  std::string tables;  ///< titles of those that were searched
  ProblemSpec asked;
  double optimum = 0, robust_optimum = 0;  ///< of the objective; the latter NaN where there is none
  double answer = 0;                       ///< NaN: not solved
  double excess_pct = 0;                   ///< as SearchRow has it; NaN: not solved
  Settings chosen;                         ///< of the last role; empty: not solved
  double power_w = 0;                      ///< the largest of the answer
  size_t profiles = 0, trials = 0;
  std::optional<Error> error{};  ///< of a search that broke off, which is not solved
};

struct SearchEvaluation {
  ProblemKind kind = ProblemKind::training;
  size_t modes = 0;  ///< power modes that the tables share
  std::vector<SearchRow> rows;
  std::vector<SearchCase> cases;  ///< by strategy, seed and problem
};

/// The strategies of these names. Errors: an unknown one, one named twice, one that reads every
/// row.
Result<std::vector<const StrategyEntry*>> compared_strategies(
    const std::vector<std::string>& names);
/// Of a strategy that could not be made or did not answer: its error, unless that says that nothing
/// meets the limits, which is an answer.
template <class T>
std::optional<Error> broken_off(const Result<T>& result) {
  if (result.ok() || result.error().code == Code::infeasible) return {};
  return result.error();
}
/// Runs the sweep. Errors: unknown strategy, tables without a mode in common, no paper mode.
Result<SearchEvaluation> evaluate_search(const SearchSweep& sweep);

/// {"problem":…, "rows":[{"strategy", "problems", …}]} with the fields' names as keys.
SortedJson to_json(const SearchEvaluation& evaluation);
/// The cases as CSV: strategy, seed, budgets, optimum, answer and what was chosen; empty fields
/// where there is no limit or no answer.
std::string cases_csv(std::span<const SearchCase> cases);

}  // namespace flyball
