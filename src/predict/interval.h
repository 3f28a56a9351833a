// Intervals of predictors that know their errors only from leaving rows out.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/distributions.h"
#include "base/statistics.h"
#include "predict/predictor.h"

namespace flyball {

/// Half-width of the 90 % interval from leave-one-out errors (absolute, of any unit); 1 for none.
/// Few errors say little of their tail, so it widens what they show.
inline double jackknife_width(const std::vector<double>& errors) {
  if (errors.empty()) return 1;
  const double n = static_cast<double>(errors.size());
  return quantile(errors, std::min(1.0, 0.9 * (n + 1) / n)) * (1 + 2 / n) + 1e-9;
}

/// Standard deviation on the log scale that the 90 % interval of one configuration stands for.
/// Intervals may be lopsided; their width counts.
inline double log_spread(const Estimates& estimates, size_t i) {
  const double low = std::max(estimates.lo90[i], 1e-3 * estimates.mean[i]);
  return std::max(1e-4, std::log(estimates.hi90[i] / low) / (2 * z90));
}

/// Every mean with the same half-width, a fraction of it; never below zero.
inline Estimates with_interval(std::vector<double> mean, double width) {
  Estimates estimates;
  for (double value : mean) {
    estimates.lo90.push_back(value * std::max(0.0, 1 - width));
    estimates.hi90.push_back(value * (1 + width));
  }
  estimates.mean = std::move(mean);
  return estimates;
}

}  // namespace flyball
