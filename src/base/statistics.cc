#include "base/statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace flyball {

double mean(std::span<const double> values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double variance(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double centre = mean(values);
  double sum = 0;
  for (double value : values) sum += (value - centre) * (value - centre);
  return sum / static_cast<double>(values.size() - 1);
}

double standard_deviation(std::span<const double> values) {
  return std::sqrt(variance(values));
}

double quantile(std::span<const double> values, double q) {
  if (values.empty()) return 0;
  std::vector<double> sorted(values.begin(), values.end());
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(position);
  const auto nth = sorted.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(sorted.begin(), nth, sorted.end());
  if (below + 1 >= sorted.size()) return *nth;
  const double above = *std::min_element(nth + 1, sorted.end());
  const double share = position - static_cast<double>(below);
  if (share == 0 || above == *nth) return *nth;  // of infinite ones no difference is to be taken
  return *nth + share * (above - *nth);
}

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

Quartiles quartiles(std::span<const double> values) {
  return {quantile(values, 0.5), quantile(values, 0.25), quantile(values, 0.75)};
}

std::vector<double> absolute_percentage_errors(std::span<const double> predicted,
                                               std::span<const double> observed) {
  assert(predicted.size() == observed.size());
  std::vector<double> errors(predicted.size());
  for (size_t i = 0; i < errors.size(); ++i)
    errors[i] = 100 * std::abs(predicted[i] / observed[i] - 1);
  return errors;
}

double mape(std::span<const double> predicted, std::span<const double> observed) {
  return mean(absolute_percentage_errors(predicted, observed));
}

double relative_noise(std::span<const double> values) {
  if (values.size() < 2) return std::numeric_limits<double>::infinity();
  return standard_deviation(values) / std::sqrt(static_cast<double>(values.size())) /
         std::abs(mean(values));
}

}  // namespace flyball
