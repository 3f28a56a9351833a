// What a process says of some configurations, joined by the board's form of cost, which misses by
// causes of its own.
#pragma once

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
  const Eigen::ArrayXd& ratio() const { return ratio_; }
  /// Standard deviation of readings: that of the process around such a mean, and their noise.
  Vector spread(const Vector& variance, const Vector& noise) const {
    return (variance.array() * ratio_.square() + noise.array()).sqrt();
  }

 private:
  Vector from_, to_;
  Eigen::ArrayXd ratio_;
};

/// Means and 90 % intervals, from those of logarithms.
Estimates estimates(const Vector& mean, const Vector& variance);
void append(Estimates& all, const Estimates& part);

}  // namespace flyball
