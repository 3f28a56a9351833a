// A table for tests: time falls with both clocks, power rises; batches cost in proportion.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "space/table.h"

namespace flyball {

inline WorkloadTable clock_table(const std::string& workload, Phase phase,
                                 const std::vector<double>& batches) {
  WorkloadTable table;
  table.device = "board";
  table.workload = workload;
  table.phase = phase;
  std::vector<Axis> axes = {named_axis(axis::batch_size, batches),
                            named_axis(axis::cpu_mhz, {500, 1000, 1500, 2000}),
                            named_axis(axis::gpu_mhz, {200, 400, 600, 800, 1000})};
  const Space grid = Space::grid(axes);
  for (Axis& one : axes) one.values.clear();
  table.space = Space(axes);
  for (size_t i = 0; i < grid.size(); ++i) {
    const auto row = grid.row(i);
    table.add(row, row[0] * (2000 / row[2]) + 5000 / row[1],
              5 + 10 * std::pow(row[2] / 1000, 3) + row[1] / 1000);
  }
  return table;
}

}  // namespace flyball
