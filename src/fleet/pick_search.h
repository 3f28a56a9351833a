// Picks enumerated option by option: states that another one beats, or that cannot become better
// than what is known, are dropped.
#pragma once

#include <optional>

#include "fleet/pick.h"

namespace flyball {

struct PickSearch {
  std::vector<std::vector<size_t>> least, most;  ///< boards of each kind in each option
  double below = 0;                              ///< only picks that cost less
  size_t most_states = 0;  ///< of a step with `thins`, else of all; nothing is lost below it
  bool thins = false;      ///< goes on with the most promising states
};
struct PickFound {
  std::optional<Pick> pick;
  bool complete = true;  ///< no state was dropped that might have become the answer
};
PickFound search_picks(const PickProblem& problem, const PickRelaxation& relaxation,
                       const PickSearch& search);

}  // namespace flyball
