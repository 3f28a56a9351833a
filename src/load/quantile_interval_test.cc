#include "load/quantile_interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"

namespace flyball {
namespace {

TEST(QuantileInterval, KnowsTheBinomialDistribution) {
  EXPECT_NEAR(binomial_cdf(10, 0.5, 5), 0.623046875, 1e-9);
  EXPECT_NEAR(binomial_cdf(3, 0.9, 2), 1 - 0.729, 1e-9);
  EXPECT_NEAR(binomial_cdf(100'000, 0.99, 99'000), 0.5, 0.01);
  EXPECT_EQ(binomial_cdf(5, 0.5, -1), 0);
  EXPECT_EQ(binomial_cdf(5, 0.5, 5), 1);
}

// The ranks of the textbook (Conover, Practical Nonparametric Statistics): n = 20, median, 90 %:
// the 6th and the 15th value (95.9 %), which are 5 and 14 from 0 on.
TEST(QuantileInterval, TakesTheRanksOfTheTextbook) {
  std::vector<double> values;
  for (int i = 0; i < 20; ++i) values.push_back(i);
  const QuantileInterval median = quantile_interval(values, 0.5);
  EXPECT_EQ(median.low, 5);
  EXPECT_EQ(median.high, 14);
  EXPECT_EQ(median.value, 9.5);
}

TEST(QuantileInterval, HasNoBoundBeyondItsValues) {
  const std::vector<double> few{1, 2, 3, 4, 5};
  const QuantileInterval p99 = quantile_interval(few, 0.99);
  EXPECT_TRUE(std::isnan(p99.high));
  EXPECT_LE(p99.low, p99.value);
  EXPECT_TRUE(std::isnan(quantile_interval({}, 0.5).value));
}

// How often the interval holds the true quantile, of independent values and of values that come in
// runs, as waiting times do.
double coverage(double q, size_t run_length) {
  Random random(5);
  int held = 0;
  constexpr int draws = 400;
  for (int draw = 0; draw < draws; ++draw) {
    std::vector<double> values;
    double value = 0;
    for (size_t i = 0; i < 2000; ++i) {
      if (i % run_length == 0) value = random.uniform();
      values.push_back(value);
    }
    const QuantileInterval found = quantile_interval(values, q);
    held +=
        (std::isnan(found.low) || found.low <= q) && (std::isnan(found.high) || found.high >= q);
  }
  return held / static_cast<double>(draws);
}

TEST(QuantileInterval, HoldsTheQuantileNineTimesInTen) {
  EXPECT_GT(coverage(0.5, 1), 0.86);
  EXPECT_GT(coverage(0.99, 1), 0.86);
  EXPECT_GT(coverage(0.5, 20), 0.8);  // 0.3 without counting how alike neighbours are
  EXPECT_GT(coverage(0.9, 20), 0.8);
}

TEST(QuantileInterval, KnowsHowWellAMeanIsKnown) {
  std::vector<double> values;
  Random random(3);
  for (int i = 0; i < 1000; ++i) values.push_back(random.exponential());
  const QuantileInterval mean = mean_interval(values);
  EXPECT_LT(mean.low, 1);
  EXPECT_GT(mean.high, 1);
  EXPECT_LT(mean.high - mean.low, 0.3);
  EXPECT_TRUE(std::isnan(mean_interval(std::vector<double>{1, 2}).low));
}

}  // namespace
}  // namespace flyball
