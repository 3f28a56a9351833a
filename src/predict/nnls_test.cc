#include "predict/nnls.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace flyball {
namespace {

double squared_error(const std::vector<double>& a, size_t columns, const std::vector<double>& b,
                     const std::vector<double>& x) {
  double sum = 0;
  for (size_t i = 0; i < b.size(); ++i) {
    double value = -b[i];
    for (size_t j = 0; j < columns; ++j) value += a[i * columns + j] * x[j];
    sum += value * value;
  }
  return sum;
}

TEST(Nnls, FindsCoefficientsThatAreNonNegative) {
  Random random(1);
  std::vector<double> a, b;
  const std::vector<double> truth = {2, 0, 5e-6, 0.1};
  for (int i = 0; i < 30; ++i) {
    double value = 0;
    for (size_t j = 0; j < 4; ++j) {
      a.push_back(random.uniform(1, 2) * (j == 2 ? 1e6 : 1));
      value += a.back() * truth[j];
    }
    b.push_back(value);
  }
  const auto x = nnls(a, 4, b);
  for (size_t j = 0; j < 4; ++j) EXPECT_NEAR(x[j], truth[j], 1e-8) << j;
}

TEST(Nnls, PutsZeroWhereLeastSquaresWouldBeNegative) {
  // Unconstrained: x = (2, −1).
  const std::vector<double> a = {1, 0, 0, 1}, b = {2, -1};
  EXPECT_EQ(nnls(a, 2, b), (std::vector<double>{2, 0}));
}

TEST(Nnls, NoFeasibleStepFromItsAnswerIsBetter) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const size_t columns = 1 + random.below(8), rows = 1 + random.below(12);
    std::vector<double> a, b;
    for (size_t i = 0; i < rows * columns; ++i) a.push_back(random.normal());
    for (size_t i = 0; i < rows; ++i) b.push_back(random.normal());
    const auto x = nnls(a, columns, b);
    const double best = squared_error(a, columns, b, x);
    for (size_t j = 0; j < columns; ++j) {
      ASSERT_GE(x[j], 0) << "seed " << seed;
      for (const double step : {-1e-4, 1e-4}) {
        auto other = x;
        other[j] = std::max(0.0, other[j] + step);
        EXPECT_GE(squared_error(a, columns, b, other), best - 1e-9) << "seed " << seed;
      }
    }
  }
}

TEST(Nnls, RelativeErrorsWeighSmallValuesLikeLargeOnes) {
  // One unknown, b = 1 and 100 at a = 1: the least relative error lies near the small one.
  const std::vector<double> a = {1, 1}, b = {1, 100};
  EXPECT_NEAR(relative_nnls(a, 1, b)[0], (1 + 0.01) / (1 + 0.0001), 1e-9);
}

TEST(Nnls, NothingToFitIsZero) {
  EXPECT_TRUE(nnls({}, 0, {}).empty());
  const std::vector<double> a = {0, 0}, b = {1, 1};
  EXPECT_EQ(nnls(a, 1, b), std::vector<double>{0});
}

}  // namespace
}  // namespace flyball
