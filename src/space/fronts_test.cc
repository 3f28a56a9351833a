#include "space/fronts.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>

#include "base/random.h"

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// One GPU clock and, where `batches`, one batch size a row.
WorkloadTable table_of_modes(bool batches) {
  WorkloadTable table;
  std::vector<Axis> axes = {named_axis(axis::gpu_mhz)};
  if (batches) axes.push_back(named_axis(axis::batch_size));
  table.space = Space(axes);
  return table;
}

bool lies_before(double cost_a, double time_a, double cost_b, double time_b) {
  return cost_a <= cost_b && time_a <= time_b && (cost_a < cost_b || time_a < time_b);
}

void expect_a_front(const std::vector<size_t>& front, const std::vector<double>& cost,
                    const std::vector<double>& time) {
  EXPECT_FALSE(front.empty());
  for (const size_t row : front)
    for (size_t other = 0; other < cost.size(); ++other)
      EXPECT_FALSE(lies_before(cost[other], time[other], cost[row], time[row]))
          << "row " << other << " beats row " << row;
}

TEST(Fronts, NoRowOfATableBeatsOneOfTheFronts) {
  Random random(4);
  // On a coarse grid, so that repeats and ties are common.
  const auto one_of = [&random](size_t n) { return static_cast<double>(1 + random.below(n)); };
  for (int trial = 0; trial < 100; ++trial) {
    WorkloadTable table = table_of_modes(true);
    for (size_t row = 0; row < 40; ++row)
      table.add(std::array{100 * one_of(8), 8 * one_of(3)}, 5 * one_of(9),
                random.below(10) == 0 ? NAN : 2 * one_of(9));
    const Fronts fronts = fronts_of(table);
    std::vector<double> ms, joules;
    for (size_t row = 0; row < fronts.table.size(); ++row) {
      ms.push_back(fronts.table.minibatch_ms[row] / fronts.table.space.row(row)[1]);
      joules.push_back(ms.back() * fronts.table.power_w[row] * 1e-3);
    }
    expect_a_front(fronts.power, fronts.table.power_w, ms);
    expect_a_front(fronts.energy, joules, ms);
  }
}

TEST(Fronts, RepeatsCountOnceByTheirMedian) {
  WorkloadTable table = table_of_modes(false);
  for (const double ms : {40.0, 20.0, 21.0}) table.add(std::array{600.0}, ms, 10);
  table.add(std::array{300.0}, 30, 11);  // beaten by the median alone, not by the first reading
  const Fronts fronts = fronts_of(table);
  EXPECT_EQ(fronts.table.size(), 2u);
  EXPECT_EQ(fronts.repeats, 2u);
  EXPECT_FALSE(fronts.per_sample);
  EXPECT_THAT(fronts.time_ms, ElementsAre(21, 30));
  EXPECT_THAT(fronts.power, ElementsAre(0));
  EXPECT_DOUBLE_EQ(fronts.minibatch_j(0), 0.21);
  EXPECT_TRUE(std::isnan(fronts.samples(0)));
}

// A minibatch of 16 takes longer and more energy than one of 4, and less of both for each sample.
TEST(Fronts, FiguresArePerSampleWhereBatchesDiffer) {
  WorkloadTable table = table_of_modes(true);
  table.add(std::array{600.0, 4.0}, 20, 10);
  table.add(std::array{600.0, 16.0}, 40, 12);
  const Fronts both = fronts_of(table);
  EXPECT_TRUE(both.per_sample);
  EXPECT_THAT(both.time_ms, ElementsAre(5, 2.5));
  EXPECT_DOUBLE_EQ(both.energy_j[0], 0.05);
  EXPECT_DOUBLE_EQ(both.energy_j[1], 0.03);
  EXPECT_THAT(both.power, ElementsAre(0, 1));
  EXPECT_THAT(both.energy, ElementsAre(1));
  WorkloadTable same = table_of_modes(true);
  same.add(std::array{600.0, 16.0}, 40, 12);
  same.add(std::array{300.0, 16.0}, 60, 10);
  const Fronts one = fronts_of(same);
  EXPECT_FALSE(one.per_sample);
  EXPECT_THAT(one.time_ms, ElementsAre(40, 60));
  EXPECT_EQ(one.samples(0), 16);
}

TEST(Fronts, WithoutPowerThereAreNone) {
  WorkloadTable table = table_of_modes(false);
  table.add(std::array{600.0}, 20, NAN);
  const Fronts fronts = fronts_of(table);
  EXPECT_THAT(fronts.power, IsEmpty());
  EXPECT_THAT(fronts.energy, IsEmpty());
}

}  // namespace
}  // namespace flyball
