#include "predict/gp/process_draws.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace flyball {
namespace {

CodedRows points(Index count, Index axes, bool grid) {
  Random random(3);
  Matrix x(count, axes);
  for (double& value : x.reshaped())
    value = grid ? -0.5 * static_cast<double>(random.below(4)) : random.uniform(-2, 0);
  return CodedRows(x);
}

/// Largest difference between what the draws share and what they should.
double worst_covariance(const CodedRows& rows, const Vector& lengths) {
  const Index count = 6000;
  const Matrix draws = process_draws(rows, lengths, count, 5);
  EXPECT_EQ(draws.rows(), count);
  EXPECT_EQ(draws.cols(), rows.rows);
  const Matrix shared = draws.transpose() * draws / static_cast<double>(count);
  return (shared - matern(rows, rows, lengths)).cwiseAbs().maxCoeff();
}

TEST(ProcessDraws, HaveTheCovarianceOfTheProcess) {
  const Vector lengths = (Vector(3) << 0.7, 1.2, 3.0).finished();
  EXPECT_LT(worst_covariance(points(200, 3, true), lengths), 0.08);   // exact on a grid
  EXPECT_LT(worst_covariance(points(60, 3, false), lengths), 0.08);   // and of few rows
  EXPECT_LT(worst_covariance(points(601, 3, false), lengths), 0.25);  // by 512 random features
}

TEST(ProcessDraws, AreTheSameForOneSeed) {
  const CodedRows rows = points(20, 2, true);
  const Vector lengths = Vector::Ones(2);
  const Matrix first = process_draws(rows, lengths, 8, 1);
  for (uint64_t seed = 100; seed < 140; ++seed) normal_numbers(2, 2, seed);  // none is kept so long
  EXPECT_EQ(process_draws(rows, lengths, 8, 1), first);
  EXPECT_NE(process_draws(rows, lengths, 8, 1), process_draws(rows, lengths, 8, 2));
}

TEST(ProcessDraws, JoinedRowsKeepTheirValues) {
  const CodedRows a = points(7, 2, true), b = points(5, 2, false), both = joined(a, b);
  ASSERT_EQ(both.rows, 12);
  for (size_t d = 0; d < 2; ++d) {
    EXPECT_EQ(both.column(d).head(7), a.column(d));
    EXPECT_EQ(both.column(d).tail(5), b.column(d));
  }
}

}  // namespace
}  // namespace flyball
