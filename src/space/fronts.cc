#include "space/fronts.h"

#include <cmath>

#include "space/pareto.h"

namespace flyball {

double Fronts::samples(size_t row) const {
  const auto batch = table.space.axis_index(axis::batch_size);
  return batch ? table.space.row(row)[*batch] : std::nan("");
}

Fronts fronts_of(const WorkloadTable& table) {
  Fronts fronts;
  fronts.table = merge_repeats(table);
  fronts.repeats = table.size() - fronts.table.size();
  const auto batch = fronts.table.space.axis_index(axis::batch_size);
  fronts.per_sample = batch && fronts.table.space.axes()[*batch].values.size() > 1;
  for (size_t row = 0; row < fronts.table.size(); ++row) {
    const double counted = fronts.per_sample ? fronts.samples(row) : 1;
    fronts.time_ms.push_back(fronts.table.minibatch_ms[row] / counted);
    fronts.energy_j.push_back(fronts.minibatch_j(row) / counted);
  }
  fronts.power = pareto_front(fronts.table.power_w, fronts.time_ms);
  fronts.energy = pareto_front(fronts.energy_j, fronts.time_ms);
  return fronts;
}

}  // namespace flyball
