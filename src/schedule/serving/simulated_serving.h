// A run of `flyball serve` over tables, in simulated time.
#pragma once

#include "schedule/serving/serving_profiles.h"

namespace flyball {

/// Plans for the arrivals on a board of tables (or a simulated one), and simulates what it is asked
/// for: told of all that the board's profilers know, or of what the source names.
Result<ServedRun> serve_simulated(const ServeRequest& request, SharedBoard board,
                                  const ProfileSource& source);

}  // namespace flyball
