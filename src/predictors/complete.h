// The whole table of a workload: what was profiled as it was measured, the rest as predicted.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "predict/predictor.h"

namespace flyball {

/// One row per configuration. `table.provenance` says which rows are predictions.
struct CompletedTable {
  WorkloadTable table;  ///< means; medians of the repeats where profiled
  /// 90 % intervals. Of a profiled row: of the median of its repeats, NaN of a single
  /// reading. Power and its bounds are NaN where it is not known, as where it was not read.
  std::vector<double> time_lo90, time_hi90, power_lo90, power_hi90;
  std::vector<bool> extrapolated;  ///< predicted outside of the box of the profiled ones
  size_t profiled = 0;             ///< configurations that were
  std::vector<std::string> notes;
};

/// Every power mode of the `known` spaces, with every combination of run settings that `measured`
/// holds (or, where it has no rows, its axes name), on the axes of `measured`. Spaces that lack a
/// board axis are passed over. Error: a measured mode is none of them (the nearest is named).
Result<Space> open_modes(const WorkloadTable& measured, std::span<const Space> known);

/// Fits the named predictor and predicts `space`, whose axes are those of `measured`.
Result<CompletedTable> complete(const WorkloadTable& measured, const Space& space,
                                std::span<const WorkloadTable> references,
                                const std::string& predictor, const FitOptions& options);

/// Tidy CSV with the columns minibatch_ms_lo90, minibatch_ms_hi90, power_w_lo90, power_w_hi90,
/// extrapolated (0 or 1) and provenance behind the usual ones; parse_table() reads it back.
std::string format_completed(const CompletedTable& completed);

}  // namespace flyball
