// Latencies of the last minute of a run that goes on.
#pragma once

#include <array>
#include <cstdint>

#include "schedule/latency_histogram.h"

namespace flyball {

inline constexpr double recent_s = 60;

/// Answers fall into parts of 5 s, of which those that end within the last minute are kept. Times
/// are counted from the beginning of the run and never go back.
class RecentLatency {
 public:
  void add(int64_t at_ns, int64_t latency_ns);
  /// Of the minute before then, to within a part.
  LatencyHistogram before(int64_t at_ns) const;

 private:
  static constexpr int64_t parts = 12;
  struct Part {
    int64_t number = -1;  ///< counted from the beginning; -1: none yet
    LatencyHistogram latency{};
  };
  std::array<Part, parts> parts_{};
};

}  // namespace flyball
