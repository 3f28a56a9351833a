// MAXN: the mode with the highest value of each board axis.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "space/space.h"

namespace flyball {

/// The highest value of each board axis; run axes have no part in it.
PowerMode highest_mode(std::span<const Axis> axes);

/// How near a configuration comes to it: its values on the board axes, each as a share of the
/// highest one, summed up.
double share_of_highest(const Space& space, size_t row);

/// Is it the mode that has all of them? `board` has the axes with all values that the board has:
/// those of the space may be narrowed. An axis that only the space has counts by that.
bool is_highest(const Space& space, size_t row, std::span<const Axis> board);

/// How the configuration that comes nearest is said: "the highest value of each board axis (MAXN)",
/// or why it is not MAXN.
std::string highest_text(const Space& space, size_t row, std::span<const Axis> board);

/// The first of the configurations that come nearest to it; nothing for an empty space.
std::optional<size_t> nearest_to_highest(const Space& space);

}  // namespace flyball
