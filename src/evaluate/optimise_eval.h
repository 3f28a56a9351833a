// PowerTrain's optimisation problem (FGCS 2024) on a measured table: the
// fastest mode within a power budget, chosen from predictions, judged by what was measured there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/statistics.h"
#include "evaluate/evaluation.h"
#include "space/highest_mode.h"
#include "space/table.h"

namespace flyball {

/// What to evaluate.
struct OptimiseEvaluation : Evaluation {
  std::vector<double> budgets_w;  ///< ascending
  size_t modes = 50;              ///< profiled before the predictors are asked
  std::string design = "random";
  /// Unverified choices keep the budget with this probability, as the predictor's interval has it;
  /// one half takes the mean, as published.
  double confidence = 0.5;
  /// For each budget the default strategy goes on from the profiled modes with so many profiles at
  /// most; only a measured mode within the budget is answered. 0: the choice is trusted.
  size_t verify = 0;
  /// As published: profiled modes, too, are looked up in the predictions.
  bool predictions_only = false;
};

/// One choice for one budget: a row of the table, or nothing.
struct BudgetChoice {
  std::optional<size_t> config;
  size_t extra_profiles = 0;
};

/// How the choices for all budgets came out: PowerTrain's four metrics. Budgets that no mode of the
/// table meets do not count.
struct BudgetScore {
  size_t solvable = 0, unsolved = 0;      ///< unsolved: nothing was chosen
  Quartiles raw_penalty, robust_penalty;  ///< 100·(T/T_opt − 1), percent; NaN: nothing was chosen
  double area_w = 0;      ///< trapezoid of max(0, P − B) over B, ÷ its width: W per solution
  double al_pct = 0;      ///< A/L: percent of the problems with P > B
  double al1_pct = 0;     ///< A/L+1: percent with P > B + 1 W
  size_t exceeded = 0;    ///< the number behind al_pct
  size_t suspicious = 0;  ///< choices whose power reading is suspicious (suspicious_power())
};

/// The optimum of each budget, and what is needed to score choices.
class BudgetProblem {
 public:
  /// Rows must be distinct configurations. Time is per sample where the batch size varies.
  BudgetProblem(const WorkloadTable& truth, std::vector<double> budgets_w);

  const std::vector<double>& budgets_w() const { return budgets_w_; }
  const std::vector<double>& time() const { return time_; }    ///< ms, or ms per sample
  const std::vector<double>& power() const { return power_; }  ///< W
  size_t suspicious_rows() const { return suspicious_count_; }
  size_t solvable() const;
  /// One choice per budget.
  BudgetScore score(const std::vector<BudgetChoice>& choices) const;
  /// The row with every board axis at its highest, or the nearest to that.
  size_t maxn() const { return nearest_to_highest(truth_.space).value_or(0); }

 private:
  const WorkloadTable& truth_;
  std::vector<double> budgets_w_, time_, power_;
  std::vector<bool> suspicious_;
  size_t suspicious_count_ = 0;
  std::vector<std::optional<size_t>> raw_, robust_;
};

struct OptimiseRow {
  std::string predictor;  ///< or "maxn", "rnd"
  size_t runs = 0;
  BudgetScore score;      ///< medians over the runs that have them; exceeded and unsolved: sums
  double extra_mean = 0;  ///< profiles beyond the first ones, per problem
  size_t extra_max = 0;
  std::vector<std::string> notes;  ///< of the first run
  std::string error;
};

struct OptimiseReport {
  std::string target, design;
  std::vector<double> budgets_w;
  size_t modes = 0, runs = 0, solvable = 0, suspicious_rows = 0, verify = 0;
  double confidence = 0.5;
  std::vector<OptimiseRow> rows;  ///< baselines first
};

/// Errors: no power in the table, unknown names, more modes than the table has, no budget that any
/// mode meets, or every predictor failed.
Result<OptimiseReport> evaluate_optimise(const OptimiseEvaluation& evaluation);

Json to_json(const OptimiseReport& report);

/// "17:50:1W" (first, last, step) or "20,30,40W": the last unit is that of all; each may have its
/// own.
Result<std::vector<double>> parse_budgets(const std::string& text);

}  // namespace flyball
