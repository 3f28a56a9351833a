#include "base/statistics.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"

namespace flyball {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

TEST(Statistics, OfKnownNumbers) {
  const std::vector<double> values = {2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_DOUBLE_EQ(mean(values), 5);
  EXPECT_DOUBLE_EQ(variance(values), 32.0 / 7);
  EXPECT_DOUBLE_EQ(standard_deviation(values), std::sqrt(32.0 / 7));
  EXPECT_DOUBLE_EQ(median(values), 4.5);
  EXPECT_DOUBLE_EQ(relative_noise(values), std::sqrt(32.0 / 7 / 8) / 5);
}

// Expected values from numpy.quantile([3, 1, 4, 1, 5, 9, 2, 6], q).
TEST(Statistics, QuantilesAreThoseOfNumpy) {
  const std::vector<double> values = {3, 1, 4, 1, 5, 9, 2, 6};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 3.5);
  EXPECT_DOUBLE_EQ(quantile(values, 0.9), 6.9);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 9);
  const Quartiles q = quartiles(values);
  EXPECT_DOUBLE_EQ(q.q1, 1.75);
  EXPECT_DOUBLE_EQ(q.median, 3.5);
  EXPECT_DOUBLE_EQ(q.q3, 5.25);
}

TEST(Statistics, OfFewOrNoNumbers) {
  EXPECT_EQ(mean({}), 0);
  EXPECT_EQ(median({}), 0);
  const std::vector<double> one = {7};
  EXPECT_EQ(variance(one), 0);
  EXPECT_EQ(median(one), 7);
  EXPECT_EQ(quantile(one, 0.9), 7);
  EXPECT_TRUE(std::isinf(relative_noise(one)));
}

TEST(Statistics, AQuantileNeverLeavesTheRangeAndNeverFalls) {
  Random random(9);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> values(1 + random.below(20));
    for (double& value : values) value = random.normal();
    const auto [low, high] = std::ranges::minmax(values);
    double last = low;
    for (int percent = 0; percent <= 100; percent += 5) {
      const double value = quantile(values, percent / 100.0);
      EXPECT_GE(value, last - 1e-12);
      EXPECT_LE(value, high + 1e-12);
      last = value;
    }
  }
}

// The excess of a figure that was not reported is infinite.
TEST(Statistics, AQuantileOfInfiniteNumbersIsOne) {
  const double infinite = std::numeric_limits<double>::infinity();
  const std::vector<double> all = {infinite, infinite}, one = {infinite, 1, 2};
  EXPECT_EQ(median(all), infinite);
  EXPECT_EQ(median(one), 2);
  EXPECT_EQ(quantile(one, 0), 1);
  EXPECT_EQ(median(std::vector<double>{1, infinite}), infinite);
}

TEST(Statistics, PercentageErrors) {
  const std::vector<double> predicted = {110, 80, 50}, observed = {100, 100, 50};
  EXPECT_THAT(
      absolute_percentage_errors(predicted, observed),
      ElementsAre(testing::DoubleNear(10, 1e-9), testing::DoubleNear(20, 1e-9), DoubleEq(0)));
  EXPECT_NEAR(mape(predicted, observed), 10, 1e-9);
}

}  // namespace
}  // namespace flyball
