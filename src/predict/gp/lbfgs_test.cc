#include "predict/gp/lbfgs.h"

#include <gtest/gtest.h>

#include <cmath>

namespace flyball {
namespace {

// The function of Rosenbrock (1960), whose minimum lies in a curved valley.
double rosenbrock(const Vector& x, Vector& gradient) {
  const double a = 1 - x[0], b = x[1] - x[0] * x[0];
  gradient.resize(2);
  gradient[0] = -2 * a - 400 * x[0] * b;
  gradient[1] = 200 * b;
  return a * a + 100 * b * b;
}

TEST(Lbfgs, FindsTheEndOfACurvedValley) {
  const Minimum found = minimise(rosenbrock, Vector{{-1.2, 1.0}}, 200, 1e-14);
  EXPECT_NEAR(found.x[0], 1, 1e-4);
  EXPECT_NEAR(found.x[1], 1, 1e-4);
}

TEST(Lbfgs, IsExactOnAQuadraticOfUnevenScales) {
  const Vector scale{{1, 100, 0.01, 10, 1}}, centre{{3, -2, 1, 0, 5}};
  const auto quadratic = [&](const Vector& x, Vector& gradient) {
    gradient = scale.cwiseProduct(x - centre);
    return 0.5 * gradient.dot(x - centre);
  };
  const Minimum found = minimise(quadratic, Vector::Zero(5), 300, 1e-16);
  EXPECT_LT((found.x - centre).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(Lbfgs, IsNeverWorseThanItsStartAndTurnsBackFromUndefinedPlaces) {
  // log is undefined below zero, where a first step of its own length would land.
  const auto barrier = [](const Vector& x, Vector& gradient) -> double {
    if (x[0] <= 0) return INFINITY;
    gradient = Vector::Constant(1, 1 - 0.01 / x[0]);
    return x[0] - 0.01 * std::log(x[0]);
  };
  const Minimum found = minimise(barrier, Vector::Constant(1, 0.3), 100, 1e-14);
  EXPECT_NEAR(found.x[0], 0.01, 1e-4);
  const Minimum none = minimise(rosenbrock, Vector{{-1.2, 1.0}}, 0);
  EXPECT_EQ(none.x[0], -1.2);
}

}  // namespace
}  // namespace flyball
