#include "schedule/latency_histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flyball {
namespace {

constexpr double bin_step = 0.005, least_ns = 1e3, most_ns = 9e11;

const double log_step = std::log1p(bin_step);
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

uint32_t& LatencyHistogram::count_of(size_t cell) {
  if (counts_.empty()) first_ = cell;
  if (cell < first_) {
    counts_.insert(counts_.begin(), first_ - cell, 0);
    first_ = cell;
  }
  if (cell - first_ >= counts_.size()) counts_.resize(cell - first_ + 1);
  return counts_[cell - first_];
}

void LatencyHistogram::add(int64_t ns) {
  ++count_of(cell_of(static_cast<double>(ns)));
  ++count_;
  max_ns_ = std::max(max_ns_, ns);
  sum_ns_ += static_cast<double>(ns);
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
  if (other.count_ == 0) return;
  count_of(other.first_ + other.counts_.size() - 1);  // room for all of them at once
  count_of(other.first_);
  for (size_t i = 0; i < other.counts_.size(); ++i)
    counts_[other.first_ - first_ + i] += other.counts_[i];
  count_ += other.count_;
  max_ns_ = std::max(max_ns_, other.max_ns_);
  sum_ns_ += other.sum_ns_;
}

double LatencyHistogram::mean_ms() const {
  return count_ == 0 ? std::numeric_limits<double>::quiet_NaN()
                     : sum_ns_ * 1e-6 / static_cast<double>(count_);
}

double LatencyHistogram::quantile_ms(double q) const {
  if (count_ == 0) return std::numeric_limits<double>::quiet_NaN();
  const double rank = std::max(1.0, std::ceil(q * static_cast<double>(count_)));
  double below = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    below += counts_[i];
    if (below >= rank) return std::min(ns_of(first_ + i) * 1e-6, max_ms());
  }
  return max_ms();
}

size_t LatencyHistogram::at_most(double ms) const {
  const size_t last = cell_of(ms * 1e6);
  size_t sum = 0;
  for (size_t i = 0; i < counts_.size() && first_ + i <= last; ++i) sum += counts_[i];
  return sum;
}

std::vector<LatencyHistogram::Bar> LatencyHistogram::bars(size_t steps) const {
  std::vector<Bar> bars;
  for (size_t i = 0; i < counts_.size(); ++i) {
    const size_t bar = (first_ + i) / steps - first_ / steps;
    if (bar >= bars.size()) {
      const size_t last_cell = (first_ / steps + bar + 1) * steps - 1;
      bars.push_back({least_ns * std::exp(static_cast<double>(last_cell) * log_step) * 1e-6, 0});
    }
    bars[bar].count += counts_[i];
  }
  return bars;
}

}  // namespace flyball
