// How well a percentile or a mean of waiting times is known.
#pragma once

#include <span>

namespace flyball {

/// Quantile of values in the order in which the requests were due, with a 90 % interval by order
/// statistics: the ranks between which a binomial count of n values falls, nine times in ten. In a
/// queue neighbours are alike, so n is divided by how much more the counts of 20 stretches of time
/// differ than those of independent values would. NaN where a bound is beyond the values there are.
struct QuantileInterval {
  double value = 0, low = 0, high = 0;
};
QuantileInterval quantile_interval(std::span<const double> in_order, double q);

/// Mean with its 90 % interval by the means of 20 stretches (Student's t); NaN bounds for fewer
/// than 40 values.
QuantileInterval mean_interval(std::span<const double> in_order);

/// P[B ≤ k] of a binomial B of n draws of chance p, to 1e-9.
double binomial_cdf(double n, double p, double k);

}  // namespace flyball
