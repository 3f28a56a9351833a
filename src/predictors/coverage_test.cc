// Do intervals of the predictors hold beyond what was profiled?
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "predict/outside.h"
#include "predictors/registry.h"

namespace flyball {
namespace {

/// 14 CPU × 13 GPU × 4 memory clocks and 3 counts of cores. The work is shared between them, and
/// power rises with the clocks, the GPU's the most.
WorkloadTable board() {
  WorkloadTable table;
  table.device = "made";
  table.workload = "net";
  std::vector<double> cpu, gpu;
  for (int i = 0; i < 14; ++i) cpu.push_back(200 + 150 * i);
  for (int i = 0; i < 13; ++i) gpu.push_back(120 + 100 * i);
  table.space =
      Space::grid({named_axis("cpu_cores", {4, 8, 12}), named_axis("cpu_mhz", cpu),
                   named_axis("gpu_mhz", gpu), named_axis("mem_mhz", {665, 1333, 2133, 3199})});
  for (size_t i = 0; i < table.space.size(); ++i) {
    const auto row = table.space.row(i);
    const double loading = 2e5 / (row[1] * std::sqrt(row[0])), computing = 3e4 / row[2];
    table.minibatch_ms.push_back(std::max(loading, computing) + 2e4 / row[3]);
    table.power_w.push_back(6 + 0.2 * row[0] * std::pow(row[1] / 1000, 2) +
                            40 * std::pow(row[2] / 1300, 2.5) + 4 * row[3] / 3199);
  }
  return table;
}

struct Covered {
  double time = 0, power = 0;
  size_t outside = 0;
};

/// Of 49 profiles that `inside` takes: how many true values outside of their box are covered.
template <class Inside>
Covered covered(const WorkloadTable& truth, const std::string& name, bool widened, Inside inside) {
  WorkloadTable profiled = truth;
  std::vector<Axis> axes = truth.space.axes();
  for (Axis& axis : axes) axis.values.clear();
  profiled.space = Space(std::move(axes));
  profiled.minibatch_ms.clear();
  profiled.power_w.clear();
  std::vector<size_t> rows;
  for (size_t i = 0; i < truth.size(); ++i)
    if (inside(truth.space.row(i))) rows.push_back(i);
  for (size_t k = 0; k < 49; ++k) {
    const size_t i = rows[k * rows.size() / 49];
    profiled.add(truth.space.row(i), truth.minibatch_ms[i], truth.power_w[i]);
  }
  const auto predictor = *make_predictor(name);
  EXPECT_TRUE(predictor->fit(profiled, {}, {}).ok());
  Prediction prediction = *predictor->predict(truth.space);
  if (widened) widen_outside(profiled.space, truth.space, prediction);
  Covered sum;
  for (size_t i = 0; i < truth.size(); ++i) {
    if (!prediction.extrapolated[i]) continue;
    const Estimates &t = prediction.minibatch_ms, &p = prediction.power_w;
    sum.time += t.lo90[i] <= truth.minibatch_ms[i] && truth.minibatch_ms[i] <= t.hi90[i];
    sum.power += p.lo90[i] <= truth.power_w[i] && truth.power_w[i] <= p.hi90[i];
    ++sum.outside;
  }
  return {sum.time / static_cast<double>(sum.outside), sum.power / static_cast<double>(sum.outside),
          sum.outside};
}

TEST(Outside, IntervalsCoverBeyondACornerASlabAndABox) {
  const WorkloadTable truth = board();
  const auto corner = [](std::span<const double> row) {
    return row[0] <= 8 && row[1] <= 1100 && row[2] <= 720 && row[3] <= 2133;
  };
  const auto slab = [](std::span<const double> row) { return row[2] == 720; };
  const auto box = [](std::span<const double> row) {
    return row[1] > 600 && row[1] < 1700 && row[2] > 400 && row[2] < 1000;
  };
  for (const Covered& one :
       {covered(truth, "auto", true, corner), covered(truth, "auto", true, slab),
        covered(truth, "auto", true, box)}) {
    EXPECT_GT(one.outside, 1000u);
    EXPECT_GE(one.time, 0.8);
    EXPECT_GE(one.power, 0.8);
  }
  const Covered before = covered(truth, "auto", false, slab);
  EXPECT_LT(std::min(before.time, before.power), 0.8);  // as the models alone say it
}

}  // namespace
}  // namespace flyball
