// Intervals of predictors that know their errors only from leaving rows out.
#pragma once

#include <algorithm>
#include <vector>

#include "base/statistics.h"
#include "predict/predictor.h"

namespace flyball {

/// Half a 90 % interval of a normal distribution, in standard deviations.
inline constexpr double z90 = 1.6448536269514722;

/// The 95th percentile of Student's t: half a 90 % interval in standard deviations that are known
/// from `freedom` squares. 1.6449 + the terms of Cornish and Fisher to the fourth order (Abramowitz
/// and Stegun 26.7.5) are within 1 % from three degrees on.
inline double t90(size_t freedom) {
  constexpr double z = z90, z2 = z * z;
  if (freedom == 1) return 6.3138;
  if (freedom == 2) return 2.9200;
  const double n = static_cast<double>(std::max<size_t>(1, freedom));
  return z * (1 + (z2 + 1) / (4 * n) + (5 * z2 * z2 + 16 * z2 + 3) / (96 * n * n) +
              (3 * z2 * z2 * z2 + 19 * z2 * z2 + 17 * z2 - 15) / (384 * n * n * n));
}

/// Half-width of the 90 % interval from leave-one-out errors (absolute, of any unit); 1 for none.
/// Few errors say little of their tail, so it widens what they show.
inline double jackknife_width(const std::vector<double>& errors) {
  if (errors.empty()) return 1;
  const double n = static_cast<double>(errors.size());
  return quantile(errors, std::min(1.0, 0.9 * (n + 1) / n)) * (1 + 2 / n) + 1e-9;
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
