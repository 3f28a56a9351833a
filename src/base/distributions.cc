#include "base/distributions.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

#include "base/statistics.h"

namespace flyball {

double normal_cdf(double z) {
  return 0.5 * std::erfc(-z * 0.70710678118654752);
}

double normal_quantile(double probability) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (probability <= 0) return -infinite;
  if (probability >= 1) return infinite;
  return quantile(boost::math::normal(), probability);
}

double t90(double freedom) {
  constexpr double z = z90, z2 = z * z;
  const double n = std::max(1.0, freedom);
  if (n == 1) return 6.3138;
  if (n == 2) return 2.9200;
  return z * (1 + (z2 + 1) / (4 * n) + (5 * z2 * z2 + 16 * z2 + 3) / (96 * n * n) +
              (3 * z2 * z2 * z2 + 19 * z2 * z2 + 17 * z2 - 15) / (384 * n * n * n));
}

double t90_of_second_order(double freedom) {
  const double z = 1.6449, z3 = z * z * z, z5 = z3 * z * z;
  return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom);
}

double robust_deviation(std::span<const double> absolute_deviations) {
  return 1.4826 * median(absolute_deviations);
}

double median_error(std::span<const double> absolute_deviations) {
  return 1.2533 * robust_deviation(absolute_deviations) /
         std::sqrt(static_cast<double>(absolute_deviations.size()));
}

}  // namespace flyball
