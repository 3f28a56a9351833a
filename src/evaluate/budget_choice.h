// From predictions to one mode for one budget.
#pragma once

#include <span>
#include <vector>

#include "evaluate/optimise_eval.h"
#include "search/strategy.h"

namespace flyball {

/// What is believed of every row when a budget is asked for.
struct Posteriors {
  std::vector<double> time;         ///< any unit
  std::vector<double> power;        ///< mean, W
  std::vector<double> power_above;  ///< half-width of the 90 % interval upwards, W
  std::vector<bool> measured;       ///< time and power are readings, not predictions
};

/// The fastest row that is believed to keep the budget with this confidence; measured rows are
/// taken at their word. Nothing when there is none.
std::optional<size_t> choose_within(const Posteriors& posteriors, double budget_w,
                                    double confidence);

/// A table as a search sees it. Candidates are its rows, which must be distinct configurations.
struct BudgetSearch {
  std::shared_ptr<const Candidates> candidates;
  Role role;
  Readings readings;      ///< of every row
  SearchOptions options;  ///< what is known already, and how many profiles more may be made
};

/// What `flyball`, the default strategy, answers for one power budget: the fastest row it has
/// measured within it, or nothing.
BudgetChoice search_within(const BudgetSearch& ground, double budget_w);

}  // namespace flyball
