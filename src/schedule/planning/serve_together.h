// A concurrent plan over tables, run by the scheduler that serves: what the equations' whole
// minibatches leave of a window is not lost there.
#pragma once

#include "tune/plan_together.h"
#include "tune/shared_board.h"

namespace flyball {

/// Simulates the answer for a minute, or a hundred windows, with requests that come like clockwork.
/// Nothing of other plans, of plans without answer and of a mode for each role. Errors: readings of
/// the board that there are not.
Result<std::optional<Together>> serve_together(const SharedBoard& board, const Plan& plan);

}  // namespace flyball
