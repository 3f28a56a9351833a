#include "space/estimate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"

namespace flyball {
namespace {

Estimate pool(std::vector<NoisyReading> readings) {
  return pooled(readings, Provenance::measured);
}

TEST(Estimate, OneReadingHasTheIntervalOfItsNoise) {
  const Estimate one = pool({{100, 0.01}});
  EXPECT_EQ(one.value, 100);
  EXPECT_NEAR(one.high, 100 * std::exp(0.01645), 1e-3);
  EXPECT_NEAR(one.low * one.high, 1e4, 1e-6);
  EXPECT_EQ(one.provenance, Provenance::measured);
  const Estimate unsure = pool({{100, unknown_noise}});
  EXPECT_EQ(unsure.value, 100);
  EXPECT_TRUE(std::isnan(unsure.low) && std::isnan(unsure.high));
  EXPECT_TRUE(std::isnan(pool({}).value));
}

TEST(Estimate, TwoReachFromTheLowerToTheUpper) {
  const Estimate two = pool({{100, 0.01}, {110, 0.02}});
  EXPECT_EQ(two.value, 105);
  EXPECT_EQ(two.low, pool({{100, 0.01}}).low);
  EXPECT_EQ(two.high, pool({{110, 0.02}}).high);
  // Without noise of their own: 6.314 of half their distance.
  EXPECT_NEAR(std::log(pool({{100}, {101}}).high / 100.5), 6.3138 * std::log(1.01) / 2, 1e-9);
}

TEST(Estimate, EqualReadingsOfUnknownNoiseTellNoSpread) {
  for (const std::vector<NoisyReading>& equal :
       {std::vector<NoisyReading>{{100}, {100}}, {{100}, {100}, {100}}, {{100}, {100}, {250}}}) {
    const Estimate all = pool(equal);
    EXPECT_EQ(all.value, 100);
    EXPECT_TRUE(std::isnan(all.low) && std::isnan(all.high)) << equal.size();
  }
  // A table's are taken at their word.
  const Estimate table = pool({{100, 0}, {100, 0}, {100, 0}});
  EXPECT_EQ(table.low, 100);
  EXPECT_EQ(table.high, 100);
}

TEST(Estimate, OneDisturbedReadingOfThreeDoesNotCount) {
  const Estimate three = pool({{100, 0.01}, {101, 0.01}, {250, 0.01}});
  EXPECT_EQ(three.value, 101);
  EXPECT_LT(three.high, 105);
}

TEST(Estimate, OrderDoesNotMatterAndUnitsScale) {
  Random random(5);
  for (size_t n = 1; n < 9; ++n) {
    std::vector<NoisyReading> readings, scaled;
    for (size_t i = 0; i < n; ++i)
      readings.push_back({50 + 2 * random.normal(), 0.01 + 0.01 * random.uniform()});
    const Estimate all = pool(readings);
    EXPECT_LT(all.low, all.value);
    EXPECT_GT(all.high, all.value);
    std::ranges::reverse(readings);
    EXPECT_DOUBLE_EQ(pool(readings).high, all.high);
    for (const NoisyReading& one : readings) scaled.push_back({1000 * one.value, one.noise});
    EXPECT_NEAR(pool(scaled).low, 1000 * all.low, 1e-6);
    EXPECT_NEAR(pool(scaled).high, 1000 * all.high, 1e-6);
  }
}

// Of normal readings about nine intervals in ten hold the truth; less of three, whose median
// absolute deviation is rough.
TEST(Estimate, IntervalsHoldTheTruth) {
  for (size_t n : {2, 3, 5, 10, 30}) {
    Random random(n);
    size_t held = 0;
    constexpr size_t turns = 2000;
    for (size_t turn = 0; turn < turns; ++turn) {
      std::vector<NoisyReading> readings;
      for (size_t i = 0; i < n; ++i) readings.push_back({20 * std::exp(0.02 * random.normal())});
      const Estimate all = pool(readings);
      held += all.low <= 20 && 20 <= all.high;
    }
    EXPECT_GT(held, turns * 7 / 10) << n;
    EXPECT_LT(held, turns) << n;
  }
}

}  // namespace
}  // namespace flyball
