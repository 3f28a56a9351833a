// The normal distribution and Student's t; the spread of normal values of which some are disturbed.
#pragma once

#include <span>

namespace flyball {

/// Half a 90 % interval of a normal distribution, in standard deviations.
inline constexpr double z90 = 1.6448536269514722;

/// P[Z ≤ z] of a standard normal Z.
double normal_cdf(double z);
/// The z with P[Z ≤ z] = probability; infinite at 0 and 1.
double normal_quantile(double probability);

/// Half a 90 % interval of Student's t: the 95th percentile, in standard deviations that are known
/// from `freedom` squares. 1.6449 + the terms of Cornish and Fisher to the fourth order (Abramowitz
/// and Stegun 26.7.5), which are 0.3 % low at three degrees and within 0.1 % from four on. The
/// figures of docs/prediction.md rest on them.
double t90(double freedom);
/// The same to the second order, on which the published coverage of the neural models rests: t90()
/// is a third wider at one degree.
double t90_of_second_order(double freedom);

/// Standard deviation of normal values by the median of their absolute deviations.
double robust_deviation(std::span<const double> absolute_deviations);
/// Standard error of the median of as many values.
double median_error(std::span<const double> absolute_deviations);

}  // namespace flyball
