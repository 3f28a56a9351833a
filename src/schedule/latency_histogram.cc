#include "schedule/latency_histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flyball {
namespace {

constexpr double step = 0.005, least_ns = 1e3, most_ns = 9e11;

const double log_step = std::log1p(step);
const auto cells = static_cast<size_t>(std::log(most_ns / least_ns) / log_step) + 2;

size_t cell_of(double ns) {
  if (!(ns > least_ns)) return 0;
  return std::min(cells - 1, static_cast<size_t>(std::log(ns / least_ns) / log_step) + 1);
}

// The middle of a cell.
double ns_of(size_t cell) {
  return least_ns * std::exp((static_cast<double>(cell) - 0.5) * log_step);
}

}  // namespace

LatencyHistogram::LatencyHistogram() : counts_(cells) {}

void LatencyHistogram::add(int64_t ns) {
  ++counts_[cell_of(static_cast<double>(ns))];
  ++count_;
  max_ns_ = std::max(max_ns_, ns);
  sum_ns_ += static_cast<double>(ns);
}

double LatencyHistogram::mean_ms() const {
  return count_ == 0 ? std::numeric_limits<double>::quiet_NaN()
                     : sum_ns_ * 1e-6 / static_cast<double>(count_);
}

double LatencyHistogram::quantile_ms(double q) const {
  if (count_ == 0) return std::numeric_limits<double>::quiet_NaN();
  const double rank = std::max(1.0, std::ceil(q * static_cast<double>(count_)));
  double below = 0;
  for (size_t cell = 0; cell < cells; ++cell) {
    below += counts_[cell];
    if (below >= rank) return std::min(ns_of(cell) * 1e-6, max_ms());
  }
  return max_ms();
}

size_t LatencyHistogram::at_most(double ms) const {
  size_t sum = 0;
  for (size_t cell = 0; cell <= cell_of(ms * 1e6); ++cell) sum += counts_[cell];
  return sum;
}

}  // namespace flyball
