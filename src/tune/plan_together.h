// A concurrent plan, tried as events of both roles at once: here on a simulated board, over tables
// by the scheduler that serves (schedule/planning/serve_together.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "answers/plan.h"

namespace flyball {

struct TwinBoard;

/// What came of both roles together. The plan itself rests on what each did alone.
struct Together {
  bool scheduled =
      false;  ///< by the scheduler that serves; else in turns, as the equations have it
  std::string refused = {};             ///< why it cannot be: memory; "": it can
  double seconds = 0;                   ///< simulated
  double train_per_s = not_measured;    ///< training minibatches
  double planned_per_s = not_measured;  ///< the same by the plan's equations
  double latency_ms = not_measured;     ///< the longest of a request
  double late = 0;                      ///< requests not served a window after
  double late_pct = not_measured;       ///< requests answered after their budget, or refused
  double hungrier_w = not_measured;     ///< mean while the hungrier role ran
};

/// Training minibatches per second by the equations of a concurrent plan that has an answer; NaN:
/// its objective is power.
double planned_trainings_per_s(const Plan& plan);

/// How long both are tried: a minute, or a hundred windows.
double together_seconds(const Plan& plan);

/// Runs the answer of a concurrent plan, whose roles were simulated on `board` and share one mode,
/// in turns as its equations have it. Nothing of other plans.
Result<std::optional<Together>> try_together(const TwinBoard& board, const Plan& plan,
                                             uint64_t seed);

}  // namespace flyball
