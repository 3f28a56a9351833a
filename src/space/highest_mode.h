// MAXN: the mode with the highest value of each board axis.
#pragma once

#include <optional>
#include <span>

#include "space/space.h"

namespace flyball {

/// The highest value of each board axis; run axes have no part in it.
PowerMode highest_mode(std::span<const Axis> axes);

/// How near a configuration comes to it: its values on the board axes, each as a share of the
/// highest one, summed up.
double share_of_highest(const Space& space, size_t row);

/// Is it the mode that has all of them?
bool is_highest(const Space& space, size_t row);

/// The first of the configurations that come nearest to it; nothing for an empty space.
std::optional<size_t> nearest_to_highest(const Space& space);

}  // namespace flyball
