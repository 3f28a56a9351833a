// What every predictor asks of the rows it is given.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "space/table.h"

namespace flyball {

/// At least `needed` rows, all measured or accepted, times above zero and finite, powers above zero
/// or NaN.
/// Errors name the workload and the configuration.
Status check_rows(const WorkloadTable& measured, size_t needed);

/// The axes that take more than one value; an axis with one value says nothing and is dropped.
std::vector<Axis> varying_axes(const Space& space);

/// For each axis, its column in `space`; an error names the one that is missing.
Result<std::vector<size_t>> match_axes(const Space& space, const std::vector<Axis>& axes);

/// The values of `row` in these columns.
std::vector<double> pick(std::span<const double> row, std::span<const size_t> columns);

/// Is each configuration outside of what was profiled, on any axis of it that the space has? Axes
/// of one profiled value count: another value was never seen.
std::vector<bool> outside_profiled(const std::vector<Axis>& profiled, const Space& space);

}  // namespace flyball
