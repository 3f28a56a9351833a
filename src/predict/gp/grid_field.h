// Residuals over a grid: spikes and noise removed, linear in the logarithms between grid points.
#pragma once

#include <memory>
#include <vector>

#include "predict/gp/transfer_source.h"

namespace flyball {

/// Do the rows fill at least half of the grid that their values span?
bool fills_grid(const Space& space, const std::vector<Axis>& axes);

/// `x`: values on `axes`; `residual`: one per row, NaN where unknown. Repeats count by
/// their mean. Gaps are filled from their neighbours.
std::unique_ptr<ResidualField> make_grid_field(const std::vector<Axis>& axes, const CodedRows& x,
                                               const Vector& residual);

}  // namespace flyball
