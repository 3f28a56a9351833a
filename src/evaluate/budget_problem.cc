#include <algorithm>
#include <cmath>
#include <limits>

#include "evaluate/optimise_eval.h"
#include "predict/contradicted.h"
#include "problem/problem.h"

namespace flyball {
namespace {

// The fastest row within the budget; of equals the one with less power.
std::optional<size_t> fastest(const std::vector<double>& time, const std::vector<double>& power,
                              double budget, const std::vector<bool>& leave_out) {
  std::optional<size_t> best;
  for (size_t i = 0; i < time.size(); ++i) {
    if (!holds(power[i], budget) || (!leave_out.empty() && leave_out[i])) continue;
    if (!best || time[i] < time[*best] || (time[i] == time[*best] && power[i] < power[*best]))
      best = i;
  }
  return best;
}

// Of no solution there is none.
Quartiles penalty_of(const std::vector<double>& penalties) {
  if (penalties.empty()) return {not_known, not_known, not_known};
  return quartiles(penalties);
}

}  // namespace

BudgetProblem::BudgetProblem(const WorkloadTable& truth, std::vector<double> budgets_w)
    : truth_(truth),
      budgets_w_(std::move(budgets_w)),
      time_(truth.minibatch_ms),
      power_(truth.power_w),
      suspicious_(truth.size(), false) {
  if (const auto batch = truth.space.axis_index(axis::batch_size);
      batch && truth.space.axes()[*batch].values.size() > 1)
    for (size_t i = 0; i < time_.size(); ++i) time_[i] /= truth.space.row(i)[*batch];
  for (size_t row : suspicious_power(truth)) suspicious_[row] = true;
  suspicious_count_ = static_cast<size_t>(std::ranges::count(suspicious_, true));
  for (double budget : budgets_w_) {
    raw_.push_back(fastest(time_, power_, budget, {}));
    robust_.push_back(fastest(time_, power_, budget, suspicious_));
  }
}

size_t BudgetProblem::solvable() const {
  return static_cast<size_t>(
      std::ranges::count_if(raw_, [](const auto& best) { return best.has_value(); }));
}

BudgetScore BudgetProblem::score(const std::vector<BudgetChoice>& choices) const {
  BudgetScore score;
  std::vector<double> raw, robust, excess;
  size_t over = 0, over_by_1w = 0;
  for (size_t b = 0; b < budgets_w_.size(); ++b) {
    excess.push_back(0);
    if (!raw_[b]) continue;
    ++score.solvable;
    if (!choices[b].config) {
      ++score.unsolved;
      continue;
    }
    const size_t chosen = *choices[b].config;
    score.suspicious += suspicious_[chosen];
    raw.push_back(100 * (time_[chosen] / time_[*raw_[b]] - 1));
    if (robust_[b]) robust.push_back(100 * (time_[chosen] / time_[*robust_[b]] - 1));
    if (!holds(power_[chosen], budgets_w_[b]))
      excess.back() = std::max(0.0, power_[chosen] - budgets_w_[b]);
    over += excess.back() > 0;
    over_by_1w += power_[chosen] > budgets_w_[b] + 1;
  }
  score.raw_penalty = penalty_of(raw);
  score.robust_penalty = penalty_of(robust);
  double area = 0;
  for (size_t b = 1; b < budgets_w_.size(); ++b)
    area += (excess[b - 1] + excess[b]) / 2 * (budgets_w_[b] - budgets_w_[b - 1]);
  score.area_w =
      budgets_w_.size() > 1 ? area / (budgets_w_.back() - budgets_w_.front()) : excess.front();
  const double problems = static_cast<double>(std::max<size_t>(1, score.solvable));
  score.al_pct = 100 * static_cast<double>(over) / problems;
  score.al1_pct = 100 * static_cast<double>(over_by_1w) / problems;
  score.exceeded = over;
  return score;
}

}  // namespace flyball
