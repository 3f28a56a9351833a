// A concurrent plan of a simulated board, tried as events of both roles at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "answers/plan.h"

namespace flyball {

struct TwinBoard;

/// What came of both roles together. The plan itself rests on what each did alone.
struct Together {
  std::string refused;                  ///< why it cannot be: memory; "": it can
  double seconds = 0;                   ///< simulated
  double train_per_s = not_measured;    ///< training minibatches
  double planned_per_s = not_measured;  ///< the same by the plan's equations
  double latency_ms = not_measured;     ///< the longest of a request
  double late = 0;                      ///< requests not served a window after
  double hungrier_w = not_measured;     ///< mean while the hungrier role ran
};

/// Runs the answer of a concurrent plan, whose roles were simulated on `board` and share one mode,
/// in turns as its equations have it: a minute, or a hundred windows. Nothing of other plans.
Result<std::optional<Together>> try_together(const TwinBoard& board, const Plan& plan,
                                             uint64_t seed);

}  // namespace flyball
