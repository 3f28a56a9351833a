// Everything that a board of tables (or a twin) answers, so that plans can be simulated on it.
#pragma once

#include "problem/exact.h"
#include "tune/shared_board.h"

namespace flyball {

/// Readings of every candidate; of a simulated board its first trial of each. Errors: a role that
/// is measured live: a plan by simulation needs profiles that there are.
Result<Readings> readings_of_board(const SharedBoard& shared);

}  // namespace flyball
