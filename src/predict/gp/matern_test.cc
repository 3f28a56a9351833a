#include "predict/gp/matern.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace flyball {
namespace {

Matrix grid_points(Index n, uint64_t seed) {
  Random random(seed);
  Matrix x(n, 3);
  for (double& value : x.reshaped()) value = 0.25 * static_cast<double>(random.below(7));
  return x;
}

double by_formula(const Matrix& a, Index i, const Matrix& b, Index j, const Vector& lengths) {
  double k = 1;
  for (Index d = 0; d < a.cols(); ++d) {
    const double r = std::sqrt(5.0) * std::abs(a(i, d) - b(j, d)) / lengths[d];
    k *= (1 + r + r * r / 3) * std::exp(-r);
  }
  return k;
}

TEST(Matern, IsTheProductOfItsAxes) {
  const Matrix a = grid_points(30, 1), b = grid_points(20, 2);
  const Vector lengths{{0.4, 1.0, 2.5}};
  const Matrix k = matern(CodedRows(a), CodedRows(b), lengths);
  for (Index i = 0; i < 30; ++i)
    for (Index j = 0; j < 20; ++j) EXPECT_NEAR(k(i, j), by_formula(a, i, b, j, lengths), 1e-12);
}

TEST(Matern, LogSlopeIsTheDerivativeByTheLogLength) {
  const CodedRows rows(grid_points(25, 3));
  const Vector lengths{{0.4, 1.0, 2.5}};
  for (Index d = 0; d < 3; ++d) {
    Vector up = lengths, down = lengths;
    up[d] *= std::exp(1e-6);
    down[d] *= std::exp(-1e-6);
    const Matrix numeric =
        (matern(rows, rows, up).array().log() - matern(rows, rows, down).array().log()) / 2e-6;
    const Matrix exact = matern_log_slope(rows, static_cast<size_t>(d), lengths[d]);
    EXPECT_LT((numeric - exact).cwiseAbs().maxCoeff(), 1e-6);
  }
}

TEST(Matern, WithoutAxesEverythingIsOnePlace) {
  const CodedRows rows(Matrix(4, 0));
  EXPECT_EQ(matern(rows, rows, Vector(0)), Matrix::Ones(4, 4));
}

}  // namespace
}  // namespace flyball
