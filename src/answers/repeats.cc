#include "answers/repeats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/statistics.h"
#include "predict/interval.h"

namespace flyball {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// A value and the relative standard error of its own.
struct Noisy {
  double value = 0, noise = 0;
  bool knows_noise() const { return noise < unknown_noise; }
};

struct Interval {
  double value = unknown, lo = unknown, hi = unknown;
};

/// 95 % quantile of Student's t.
double student95(size_t values) {
  constexpr std::array quantiles = {6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833};
  return quantiles[std::min(values - 2, quantiles.size() - 1)];
}

Interval around(double value, double half_log) {
  return {value, value * std::exp(-half_log), value * std::exp(half_log)};
}

Interval of_two(const Noisy& a, const Noisy& b) {
  const double value = (a.value + b.value) / 2;
  if (!a.knows_noise() || !b.knows_noise())
    return around(value, student95(2) * std::abs(std::log(a.value / b.value)) / 2);
  const Interval first = around(a.value, z90 * a.noise), second = around(b.value, z90 * b.noise);
  return {value, std::min(first.lo, second.lo), std::max(first.hi, second.hi)};
}

Interval of_many(std::span<const Noisy> readings) {
  std::vector<double> values, noises, deviations;
  for (const Noisy& reading : readings) values.push_back(reading.value);
  const double middle = median(values);
  for (const Noisy& reading : readings) {
    deviations.push_back(std::abs(std::log(reading.value / middle)));
    if (reading.knows_noise()) noises.push_back(reading.noise);
  }
  // Standard error of a median of n normal values, as in profile/trials/stopping.h.
  const auto n = static_cast<double>(readings.size());
  const double error = 1.2533 * 1.4826 * median(deviations) / std::sqrt(n);
  return around(middle, std::max(student95(readings.size()) * error, z90 * median(noises)));
}

Interval pool(std::span<const Noisy> readings) {
  if (readings.empty()) return {};
  if (readings.size() == 2) return of_two(readings[0], readings[1]);
  if (readings.size() > 2) return of_many(readings);
  const Noisy& only = readings[0];
  if (!only.knows_noise()) return {only.value, unknown, unknown};
  return around(only.value, z90 * only.noise);
}

}  // namespace

Configuration pooled(std::span<const Measurement* const> readings) {
  std::vector<Noisy> times, powers;
  for (const Measurement* m : readings) {
    times.push_back({m->minibatch_ms, m->noise});
    if (m->power) powers.push_back({m->power->mean_w, m->power->noise});
  }
  Interval time = pool(times);
  const Interval power = pool(powers);
  // What disturbs makes a trial slower, never faster: the fastest reading was possible.
  for (const Noisy& reading : times) time.lo = std::min(time.lo, reading.value);
  return {
      time.value, time.lo, time.hi, power.value, power.lo, power.hi, readings.front()->provenance};
}

}  // namespace flyball
