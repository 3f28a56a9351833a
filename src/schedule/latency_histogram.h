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
  void add(int64_t ns);
  /// Takes the counts of another one over.
  void merge(const LatencyHistogram& other);
  size_t count() const { return count_; }
  double max_ms() const { return static_cast<double>(max_ns_) * 1e-6; }
  double mean_ms() const;
  /// NaN while it is empty.
  double quantile_ms(double q) const;
  /// How many took at most so long, to within a step.
  size_t at_most(double ms) const;

  /// How many took longer than the bar before it, and at most `upper_ms`.
  struct Bar {
    double upper_ms = 0;
    size_t count = 0;
  };
  /// From the first bar that is not empty to the last one, `steps` steps to each.
  std::vector<Bar> bars(size_t steps) const;

 private:
  uint32_t& count_of(size_t cell);

  std::vector<uint32_t> counts_;  ///< of the cells that were met, from `first_` on
  size_t first_ = 0;
  size_t count_ = 0;
  int64_t max_ns_ = 0;
  double sum_ns_ = 0;
};

}  // namespace flyball
