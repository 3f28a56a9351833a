// How likely the limits on figures of the program's own (memory, accuracy) are to hold where
// nothing was measured yet.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "history/history.h"

namespace flyball {

/// For each candidate of the role a share from 0 to 1; empty while no reading was beyond a limit.
/// No model knows these figures, so the nearest readings decide: the share of them that held,
/// weighed by 1 ÷ squared distance over the ranks of the axes (Shepard's interpolation). A
/// candidate that was measured has 0 or 1.
std::vector<double> figure_chances(const History& history, size_t role);

/// Of the choices that are open, the one that is farthest from all readings of a role, by its
/// nearest one, where each of these is beyond a limit: no model says where such a figure holds.
/// Nothing where a reading held all of them, or none was beyond one.
std::optional<std::vector<size_t>> farthest_from_misses(
    const History& history, const std::function<bool(std::span<const size_t>)>& open);

}  // namespace flyball
