#include "load/quantile_interval.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/distributions.h"
#include "base/statistics.h"

namespace flyball {
namespace {

constexpr size_t stretches = 20;
constexpr double tail = 0.05;  // on each side

std::span<const double> stretch(std::span<const double> values, size_t which) {
  const size_t from = which * values.size() / stretches;
  return values.subspan(from, (which + 1) * values.size() / stretches - from);
}

// By how much the counts of the stretches vary beyond chance; at least 1.
double clustering(std::span<const double> values, double threshold, double q) {
  if (values.size() < 2 * stretches) return 1;
  std::vector<double> shares;
  for (size_t i = 0; i < stretches; ++i) {
    const auto part = stretch(values, i);
    const auto count = std::ranges::count_if(part, [&](double v) { return v <= threshold; });
    shares.push_back(static_cast<double>(count) / static_cast<double>(part.size()));
  }
  const double by_chance = q * (1 - q) * stretches / static_cast<double>(values.size());
  return std::max(1.0, variance(shares) / by_chance);
}

double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

// The largest k from 0 with P[B ≤ k] ≤ chance; −1 where there is unknown_bound.
double rank_below(double n, double p, double chance) {
  const double spread = std::sqrt(n * p * (1 - p));
  double k = std::clamp(std::floor(n * p + normal_quantile(chance) * spread), -1.0, n);
  while (k >= 0 && binomial_cdf(n, p, k) > chance) --k;
  while (k < n && binomial_cdf(n, p, k + 1) <= chance) ++k;
  return k;
}

}  // namespace

double binomial_cdf(double n, double p, double k) {
  if (k < 0) return 0;
  if (k >= n) return 1;
  const double spread = std::sqrt(n * p * (1 - p)) + 1;
  double sum = 0;
  double i = std::max(0.0, std::floor(n * p - 9 * spread));
  while (i <= k) {
    sum += std::exp(log_choose(n, i) + i * std::log(p) + (n - i) * std::log1p(-p));
    ++i;
  }
  return std::min(1.0, sum);
}

QuantileInterval quantile_interval(std::span<const double> in_order, double q) {
  if (in_order.empty()) return {not_known, not_known, not_known};
  std::vector<double> sorted(in_order.begin(), in_order.end());
  std::ranges::sort(sorted);
  QuantileInterval found{quantile(sorted, q), not_known, not_known};
  const auto size = static_cast<double>(sorted.size());
  const double n = std::max(1.0, std::floor(size / clustering(in_order, found.value, q)));
  // X(r) is below the quantile where at least r values are: P[B ≥ r] = 1 − P[B ≤ r − 1].
  const double low = rank_below(n, q, tail);
  const double high = n - 1 - rank_below(n, 1 - q, tail);
  const auto at = [&](double rank) {
    return sorted[static_cast<size_t>(std::clamp((rank + 0.5) * size / n - 0.5, 0.0, size - 1))];
  };
  // Of a few values a quantile lies between two, whose ranks do not.
  if (low >= 0) found.low = std::min(found.value, at(low));
  if (high < n) found.high = std::max(found.value, at(high));
  return found;
}

QuantileInterval mean_interval(std::span<const double> in_order) {
  if (in_order.empty()) return {not_known, not_known, not_known};
  QuantileInterval found{mean(in_order), not_known, not_known};
  if (in_order.size() < 2 * stretches) return found;
  std::vector<double> means;
  for (size_t i = 0; i < stretches; ++i) means.push_back(mean(stretch(in_order, i)));
  const double half =
      t90(stretches - 1) * standard_deviation(means) / std::sqrt(static_cast<double>(stretches));
  return {found.value, found.value - half, found.value + half};
}

}  // namespace flyball
