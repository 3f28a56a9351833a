// What a process says of some configurations, put together: averaged over draws, and as means and
// intervals.
#pragma once

#include <vector>

#include "predict/matrix.h"
#include "predict/predictor.h"

namespace flyball {

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
