// What a sensor showed over time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "telemetry/sensors/sensor.h"

namespace flyball {

struct Sample {
  int64_t time_ns = 0;  ///< CLOCK_MONOTONIC, the middle of the read
  double value = 0;     ///< in the unit of the sensor
};

/// How well the sampling went.
struct SamplingStats {
  uint64_t wanted = 0;       ///< deadlines that have passed
  uint64_t achieved = 0;     ///< samples taken
  uint64_t missed = 0;       ///< deadlines skipped because we were late
  uint64_t failed = 0;       ///< reads that gave an error
  uint64_t overwritten = 0;  ///< samples no longer kept
  double late_p50_us = 0, late_p90_us = 0, late_p99_us = 0, late_max_us = 0;
  uint64_t distinct = 0;     ///< kept samples that differ from the one before, the first included
  double true_period_s = 0;  ///< how often the value changes; 0 when it never changed
  bool repeats = false;      ///< the source updates more slowly than it was asked
  bool real_time = false;    ///< did the kernel grant the thread its real-time priority?
  std::string last_error;    ///< of the reads that failed; "" for none
};

/// A copy of what a sampler kept of one sensor, oldest first.
struct Trace {
  SensorInfo info;
  double period_s = 0;  ///< asked of the sampler
  std::vector<Sample> samples;
  SamplingStats stats;

  /// Longest time between two samples that still counts as one stretch, in s: five periods of the
  /// sampler or two of the source, whichever is longer.
  double gap_s() const;
};

/// How often a source changes its value: the median time between changes, in s, after those whose
/// length differs much from it are put aside; 0 for fewer than three changes.
double true_period_s(const std::vector<Sample>& samples);

/// Fills `distinct`, `true_period_s` and `repeats` of the statistics from the samples.
void find_repeats(Trace& trace);

/// The newest `capacity` samples. One thread writes, any thread copies; neither waits, and writing
/// allocates nothing.
class SampleRing {
 public:
  explicit SampleRing(size_t capacity);
  void push(int64_t time_ns, double value);
  /// Oldest first. What is overwritten while it is being copied is left out.
  std::vector<Sample> copy() const;
  /// Those between two times, with `more` of them before and after.
  std::vector<Sample> copy(int64_t begin_ns, int64_t end_ns, size_t more) const;
  /// The newest sample; false when there is none.
  bool newest(Sample& sample) const;
  uint64_t pushed() const { return head_.load(std::memory_order_acquire); }
  size_t capacity() const { return capacity_; }

 private:
  Sample at(uint64_t index) const;
  uint64_t first_after(int64_t time_ns, uint64_t begin, uint64_t end) const;
  std::vector<Sample> copy_range(uint64_t begin, uint64_t end) const;

  size_t capacity_;
  // One more than is kept, for the sample being written. Read and written as atomics. Untouched
  // until used: pages cost nothing.
  struct Free {
    void operator()(Sample* slots) const { ::operator delete(slots); }
  };
  std::unique_ptr<Sample[], Free> slots_;
  std::atomic<uint64_t> head_{0};
};

}  // namespace flyball
