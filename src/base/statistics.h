// Order statistics and error measures. NaNs must be removed by the caller.
#pragma once

#include <limits>
#include <span>
#include <vector>

namespace flyball {

/// A figure that is not known; null in a JSON document.
inline constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

double mean(std::span<const double> values);                ///< 0 for none
double variance(std::span<const double> values);            ///< unbiased; 0 for fewer than two
double standard_deviation(std::span<const double> values);  ///< square root of variance()
/// Quantile q in [0, 1] by linear interpolation between order statistics (numpy's default); 0 for
/// none.
double quantile(std::span<const double> values, double q);
double median(std::span<const double> values);

/// Median with its quartiles.
struct Quartiles {
  double median = 0, q1 = 0, q3 = 0;
};
Quartiles quartiles(std::span<const double> values);

/// |predicted / observed − 1| in percent, per pair; observed must not be 0.
std::vector<double> absolute_percentage_errors(std::span<const double> predicted,
                                               std::span<const double> observed);
/// Mean of absolute_percentage_errors, in percent.
double mape(std::span<const double> predicted, std::span<const double> observed);

/// Relative noise of a mean: standard error / mean, as a fraction; infinite for fewer than two.
double relative_noise(std::span<const double> values);

}  // namespace flyball
