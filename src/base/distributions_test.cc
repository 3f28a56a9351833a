#include "base/distributions.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"
#include "base/statistics.h"

namespace flyball {
namespace {

TEST(Distributions, NormalIsThatOfTheTables) {
  EXPECT_EQ(normal_cdf(0), 0.5);
  EXPECT_NEAR(normal_cdf(1), 0.841344746068543, 1e-14);
  EXPECT_NEAR(normal_cdf(-3), 0.00134989803163009, 1e-16);
  EXPECT_NEAR(normal_quantile(0.85), 1.03643338949379, 1e-13);
  EXPECT_NEAR(normal_quantile(0.975), 1.95996398454005, 1e-13);
  EXPECT_NEAR(normal_quantile(0.95), z90, 1e-14);
  EXPECT_EQ(normal_quantile(0.5), 0);
}

TEST(Distributions, QuantileAndDistributionAreInverse) {
  for (double p : {1e-9, 0.01, 0.2, 0.5, 0.77, 0.999}) {
    EXPECT_NEAR(normal_cdf(normal_quantile(p)), p, 1e-14);
    EXPECT_NEAR(normal_quantile(1 - p), -normal_quantile(p), 1e-6);
  }
  EXPECT_EQ(normal_quantile(0), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(normal_quantile(1), std::numeric_limits<double>::infinity());
}

TEST(Distributions, StudentsTIsThatOfBoost) {
  for (double freedom : {1, 2, 3, 4, 5, 6, 8, 10, 30, 120, 1000}) {
    const double exact = quantile(boost::math::students_t(freedom), 0.95);
    EXPECT_NEAR(t90(freedom), exact, (freedom == 3 ? 3e-3 : 1e-3) * exact) << freedom;
  }
}

TEST(Distributions, StudentsTFallsToTheNormal) {
  double before = std::numeric_limits<double>::infinity();
  for (double freedom = 1; freedom < 1e6; freedom = std::ceil(1.7 * freedom)) {
    EXPECT_LT(t90(freedom), before) << freedom;
    EXPECT_GT(t90(freedom), z90) << freedom;
    before = t90(freedom);
  }
  EXPECT_EQ(t90(std::numeric_limits<double>::infinity()), z90);
}

TEST(Distributions, RobustDeviationIsThatOfNormalValuesWithSomeDisturbed) {
  Random random(3);
  std::vector<double> deviations;
  for (int i = 0; i < 20000; ++i)
    deviations.push_back(i % 20 == 0 ? 1000 : std::abs(5 * random.normal()));
  EXPECT_NEAR(robust_deviation(deviations), 5, 0.5);
}

TEST(Distributions, MedianErrorIsHowFarMediansScatter) {
  Random random(4);
  std::vector<double> medians, errors;
  for (int turn = 0; turn < 500; ++turn) {
    std::vector<double> values, deviations;
    for (int i = 0; i < 101; ++i) values.push_back(7 + 2 * random.normal());
    medians.push_back(median(values));
    for (double value : values) deviations.push_back(std::abs(value - medians.back()));
    errors.push_back(median_error(deviations));
  }
  EXPECT_NEAR(standard_deviation(medians) / median(errors), 1, 0.1);
}

TEST(Distributions, TheSecondOrderIsNarrowerWhereDegreesAreFew) {
  EXPECT_NEAR(t90(1) / t90_of_second_order(1), 4. / 3, 0.1);
  EXPECT_NEAR(t90_of_second_order(5), 2.0150, 0.02);
  EXPECT_NEAR(t90_of_second_order(100), t90(100), 1e-3);
}

}  // namespace
}  // namespace flyball
