// The relaxation of a selection in which energy has a price instead of a limit.
#pragma once

#include <optional>
#include <vector>

#include "fleet/rounds/selection.h"

namespace flyball {

/// The best selection at one price; the number of clients is kept.
struct PricedSelection {
  double price = 0;         ///< value of a joule
  double client_price = 0;  ///< value of one more client that may be taken
  std::vector<int> chosen;
  double value = 0, energy_j = 0;
  size_t clients = 0;
  double bound = 0;  ///< of the value of any selection within the limits
};

PricedSelection select_at_price(const SelectionProblem& problem, double price);

/// The two ends of the interval in which the best price lies.
struct PriceBracket {
  PricedSelection within;                 ///< the budget
  std::optional<PricedSelection> beyond;  ///< it; nothing: all of value is within the budget
  double bound() const;
};
PriceBracket bracket_price(const SelectionProblem& problem);

}  // namespace flyball
