// In which batches those who wait at one service will be served.
#pragma once

#include <cmath>
#include <cstdint>

#include "schedule/duration_model.h"
#include "schedule/request_queue.h"

namespace flyball {

/// Below this, times of a schedule are equal.
inline constexpr double grain_ns = 1000;

/// When batches that follow each other end: by what they typically take, and by their upper
/// quantile. What they take beyond the former are chances apart from each other, whose squares add
/// up.
struct Expected {
  double typical_ns = 0, beyond2 = 0;  ///< ns²

  double upper_ns() const { return typical_ns + std::sqrt(beyond2); }
  Expected then(const DurationModel& duration, int64_t samples) const {
    const double takes_ns = duration.typical_ns(samples);
    const double beyond_ns = duration.upper_ns(samples) - takes_ns;
    return {typical_ns + takes_ns, beyond2 + beyond_ns * beyond_ns};
  }
};

/// Of what waits in one shape.
struct BatchPlan {
  int64_t first = 0;             ///< samples of the batch that begins next
  int64_t last = 0;              ///< samples of the last batch; 0: nobody waits
  int64_t last_deadline_ns = 0;  ///< of its first request
  Expected last_begins{}, ends{};
  bool in_time = true;  ///< the first of each batch, as batches typically take
};

/// From `begins_ns` on, each batch is as large as its first request lets it be: who waits in the
/// shape, in their order, up to `most` samples (or one request), as long as the first is typically
/// answered in time. Whose first cannot be is as large as it may: it is lost, and the others go on.
BatchPlan plan_batches(const RequestQueue& queue, uint64_t shape, int64_t most,
                       const DurationModel& duration, double begins_ns);

}  // namespace flyball
