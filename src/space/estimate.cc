#include "space/estimate.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/distributions.h"
#include "base/statistics.h"

namespace flyball {
namespace {

bool knows_noise(const NoisyReading& reading) {
  return reading.noise < unknown_noise;
}

Estimate around(double value, double half_log) {
  return {value, value * std::exp(-half_log), value * std::exp(half_log)};
}

// From a difference of readings: where there is none, it is not known.
Estimate of_spread(double value, double half_log) {
  if (half_log > 0) return around(value, half_log);
  return {.value = value};
}

Estimate of_one(const NoisyReading& only) {
  if (knows_noise(only)) return around(only.value, z90 * only.noise);
  return {.value = only.value};
}

Estimate of_two(const NoisyReading& a, const NoisyReading& b) {
  const double value = (a.value + b.value) / 2;
  if (!knows_noise(a) || !knows_noise(b))
    return of_spread(value, t90(1) * std::abs(std::log(a.value / b.value)) / 2);
  const Estimate first = of_one(a), second = of_one(b);
  return {value, std::min(first.low, second.low), std::max(first.high, second.high)};
}

Estimate of_many(std::span<const NoisyReading> readings) {
  std::vector<double> values, noises, deviations;
  for (const NoisyReading& reading : readings) values.push_back(reading.value);
  const double middle = median(values);
  for (const NoisyReading& reading : readings) {
    deviations.push_back(std::abs(std::log(reading.value / middle)));
    if (knows_noise(reading)) noises.push_back(reading.noise);
  }
  const double spread = t90(static_cast<double>(readings.size() - 1)) * median_error(deviations);
  if (noises.empty()) return of_spread(middle, spread);
  return around(middle, std::max(spread, z90 * median(noises)));
}

}  // namespace

Estimate pooled(std::span<const NoisyReading> readings, Provenance provenance) {
  Estimate estimate;
  if (readings.size() == 1) estimate = of_one(readings[0]);
  if (readings.size() == 2) estimate = of_two(readings[0], readings[1]);
  if (readings.size() > 2) estimate = of_many(readings);
  estimate.provenance = provenance;
  return estimate;
}

Estimate of_boards(std::span<const NoisyReading> boards, Provenance provenance) {
  if (boards.size() < 2) return pooled(boards, provenance);
  const auto n = static_cast<double>(boards.size());
  std::vector<double> values;
  double own = 0;  // variance of their sum, of their noise alone
  for (const NoisyReading& board : boards) {
    values.push_back(board.value);
    if (knows_noise(board)) own += std::pow(board.noise * board.value, 2);
  }
  const double middle = mean(values);
  const double differ = t90(n - 1) * standard_deviation(values) / std::sqrt(n);
  Estimate estimate = of_spread(middle, std::max(differ, z90 * std::sqrt(own) / n) / middle);
  estimate.provenance = provenance;
  return estimate;
}

}  // namespace flyball
