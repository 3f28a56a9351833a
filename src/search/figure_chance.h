// How likely the limits on figures of the program's own (memory, accuracy) are to hold where
// nothing was measured yet.
#pragma once

#include <vector>

#include "history/history.h"

namespace flyball {

/// For each candidate of the role a share from 0 to 1; empty while no reading was beyond a limit.
/// No model knows these figures, so the nearest readings decide: the share of them that held,
/// weighed by 1 ÷ squared distance over the ranks of the axes (Shepard's interpolation). A
/// candidate that was measured has 0 or 1.
std::vector<double> figure_chances(const History& history, size_t role);

}  // namespace flyball
