// What a process says of some configurations, put together: joined by the board's form of cost,
// which misses by causes of its own, averaged over draws, and as means and intervals.
#pragma once

#include <vector>

#include "predict/gp/form_gp.h"
#include "predict/matrix.h"
#include "predict/predictor.h"

namespace flyball {

/// Mean by inverse variance, which is less sure the further both lie apart; nothing changes where
/// `cost` says nothing. Mean and variance are of logarithms.
void join(Vector& mean, Vector& variance, const Estimates& cost);

/// How what was drawn from the process alone becomes a draw of what both say: by its mean, and by
/// its spread.
class Shift {
 public:
  Shift(const GpPosterior& alone, const GpPosterior& joined)
      : from_(alone.mean),
        to_(joined.mean),
        ratio_((joined.variance.array() / alone.variance.array()).sqrt()) {}

  /// One draw, or what draws lie around.
  Vector of(const Vector& log_values) const {
    return to_.array() + (log_values - from_).array() * ratio_;
  }
  /// Many draws, one in each row.
  void move(Matrix& draws) const {
    for (Index i = 0; i < draws.cols(); ++i)
      draws.col(i) = to_[i] + (draws.col(i).array() - from_[i]) * ratio_[i];
  }
  /// Of the process around such a mean.
  Vector variance(const Vector& around) const { return around.array() * ratio_.square(); }

 private:
  Vector from_, to_;
  Eigen::ArrayXd ratio_;
};

/// Mean and spread over distributions of equal weight, row by row.
class Moments {
 public:
  explicit Moments(Index rows)
      : sum_(Vector::Zero(rows)), squares_(Vector::Zero(rows)), within_(Vector::Zero(rows)) {}

  void add(const Vector& mean, const Vector& variance);
  std::vector<double> mean() const;
  std::vector<double> sd() const;

 private:
  Vector first_, sum_, squares_, within_;  ///< sums of what lies beside the first mean
  double count_ = 0;
};

/// Means and 90 % intervals, from those of logarithms.
Estimates estimates(const Vector& mean, const Vector& variance);
void append(Estimates& all, const Estimates& part);

}  // namespace flyball
