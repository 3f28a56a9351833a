#include "twin/population.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace flyball {
namespace {

TEST(Population, IsTheSameForTheSameSeedAndAnotherForAnother) {
  const auto one = population_table(2, 5, Phase::train),
             same = population_table(2, 5, Phase::train),
             other = population_table(2, 6, Phase::train);
  ASSERT_TRUE(one.ok() && same.ok() && other.ok());
  EXPECT_EQ(one->minibatch_ms, same->minibatch_ms);
  EXPECT_EQ(one->power_w, same->power_w);
  EXPECT_NE(one->minibatch_ms, other->minibatch_ms);
}

TEST(Population, TablesSaySimulatedAndHoldTimesAndPowers) {
  size_t tables = 0;
  for (size_t index = 0; index < population_kinds; ++index) {
    const auto table = population_table(index, 3, Phase::train);
    if (!table) {
      EXPECT_EQ(table.error().code, Code::infeasible);  // a large network on a small board
      continue;
    }
    ++tables;
    const TwinBoard board = *find_twin_board(table->device);
    size_t modes = 1;
    for (const Axis& axis : population_grid(board)) modes *= axis.values.size();
    EXPECT_EQ(table->size(), modes);  // of one batch size all fit, or none
    EXPECT_EQ(table->power_total, twin_power_total(board));
    EXPECT_EQ(table->power_total, "module") << "which all of these boards tell";
    for (size_t row = 0; row < table->size(); ++row) {
      EXPECT_TRUE(table->minibatch_ms[row] > 0 && std::isfinite(table->minibatch_ms[row]));
      EXPECT_TRUE(table->power_w[row] > 0 && std::isfinite(table->power_w[row]));
      EXPECT_EQ(table->known(row), Provenance::simulated);
    }
  }
  EXPECT_GE(tables, population_kinds / 2);
}

TEST(Population, HoldsAllKindsAndServesInFiveBatchSizes) {
  std::set<std::string> kinds;
  for (size_t index = 0; index < population_kinds; ++index)
    kinds.insert(population_kind(index).name());
  EXPECT_EQ(kinds.size(), population_kinds);
  const auto table = population_table(8, 3, Phase::infer);
  ASSERT_TRUE(table.ok());
  const auto batch = table->space.axis_index(axis::batch_size);
  ASSERT_TRUE(batch);
  EXPECT_EQ(table->space.axes()[*batch].values, (std::vector<double>{1, 4, 16, 32, 64}));
}

// What is bound by arithmetic takes a time in proportion to its batch, once that fills the GPU;
// what is bound by launches takes hardly more for four samples than for one.
TEST(Population, KindsAreBoundByWhatTheirNameSays) {
  const TwinBoard board = *find_twin_board("orin_agx");
  const auto growth = [&](size_t index, double batch) {
    const Twin twin = *Twin::make(board, population_workload(index, 3, Phase::infer));
    const auto time = [&](double samples) {
      TwinConfiguration configuration;
      configuration.batch_size = samples;
      return twin.steady(configuration)->times.e2e_ms;
    };
    return time(4 * batch) / time(batch);
  };
  EXPECT_GT(growth(1, 16), 3);   // compute, attention
  EXPECT_LT(growth(7, 1), 1.5);  // launch, attention
}

}  // namespace
}  // namespace flyball
