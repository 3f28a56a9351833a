// Both Pareto fronts of a workload's table: time and power, time and energy.
#pragma once

#include <string>
#include <vector>

#include "space/table.h"

namespace flyball {

/// One workload's fronts. Figures are compared per sample where the batch size varies, else per
/// minibatch.
struct Fronts {
  WorkloadTable table;  ///< one row per configuration: repeats are merged
  size_t repeats = 0;   ///< rows that merging took
  bool per_sample = false;
  std::vector<double> time_ms, energy_j;  ///< by row, as they are compared; NaN: not measured
  std::vector<size_t> power, energy;      ///< rows of the fronts, ascending in power (energy)

  /// What time and energy are compared per.
  std::string counted() const { return per_sample ? "sample" : "minibatch"; }
  double minibatch_j(size_t row) const {
    return table.power_w[row] * table.minibatch_ms[row] * 1e-3;
  }
  /// Samples of a row's minibatch; NaN where they are not known.
  double samples(size_t row) const;
};
Fronts fronts_of(const WorkloadTable& table);

}  // namespace flyball
