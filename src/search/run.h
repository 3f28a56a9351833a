// Drives a strategy to its answer against anything that can measure.
#pragma once

#include <functional>

#include "search/strategy.h"

namespace flyball {

/// What came of a trial: a reading, or why it failed.
struct Told {
  Reading reading;
  std::string failure;
  bool from_store = false;  ///< measured earlier, under the same conditions
};

/// Asks, measures and tells until the strategy is done, then answers. `measure` failing with an
/// Error (unlike a failed trial) ends the search with it.
Result<Answer> run_search(Strategy& strategy,
                          const std::function<Result<Told>(const Ask&)>& measure);

/// The same from readings of every candidate.
Result<Answer> run_search(Strategy& strategy, const Readings& readings);

}  // namespace flyball
