// Latencies of any number of requests in little memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace flyball {

/// Counts in steps of 0.5 % from 1 µs to a quarter of an hour; quantiles are read to within half a
/// step, the largest is exact.
class LatencyHistogram {
 public:
  LatencyHistogram();
  void add(int64_t ns);
  size_t count() const { return count_; }
  double max_ms() const { return static_cast<double>(max_ns_) * 1e-6; }
  double mean_ms() const;
  /// NaN while it is empty.
  double quantile_ms(double q) const;
  /// How many took at most so long, to within a step.
  size_t at_most(double ms) const;

 private:
  std::vector<uint32_t> counts_;
  size_t count_ = 0;
  int64_t max_ns_ = 0;
  double sum_ns_ = 0;
};

}  // namespace flyball
