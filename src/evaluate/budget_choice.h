// From predictions to one mode for one budget.
#pragma once

#include <span>
#include <vector>

#include "evaluate/optimise_eval.h"

namespace flyball {

/// What is believed of every row when a budget is asked for.
struct Beliefs {
  std::vector<double> time;         ///< any unit
  std::vector<double> power;        ///< mean, W
  std::vector<double> power_above;  ///< half-width of the 90 % interval upwards, W
  std::vector<bool> measured;       ///< time and power are readings, not predictions
};

/// The fastest row that is believed to keep the budget with this confidence; measured rows are
/// taken at their word. Nothing when there is none.
std::optional<size_t> choose_within(const Beliefs& beliefs, double budget_w, double confidence);

/// Reads up to `profiles` rows, each the one with the highest expected gain in time over the
/// fastest row that was measured within the budget (probability of keeping it × time saved), and
/// answers that fastest measured row: within the budget, or nothing when none is known.
BudgetChoice choose_verified(Beliefs beliefs, double budget_w, size_t profiles,
                             std::span<const double> true_time, std::span<const double> true_power);

}  // namespace flyball
