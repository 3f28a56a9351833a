// The power mode of a plan as one to set or to write down.
#pragma once

#include "answers/plan.h"
#include "tune/shared_board.h"

namespace flyball {

/// The mode that the plan gives the board's first role: that of all of them, unless each has its
/// own.
PowerMode planned_mode(const SharedBoard& board, const Answer& answer);
/// Error: the request has a mode for each role.
Status check_one_mode(const Request& request);
/// Error: the board is simulated, or a table.
Status check_has_knobs(const ProfilerInfo& board);
/// Pairs of modes are gone through after each profile. Error: there are too many of them.
Status check_pairs(const Request& request, const SharedBoard& board);

}  // namespace flyball
