// Waiting for what another thread or process does, for as long as a busy machine may take.
#pragma once

#include <functional>

#include "base/clock.h"

namespace flyball {

/// Does it hold within so many seconds? Asked every 2 ms, and once more at the end.
inline bool within_seconds_of_now(double limit, const std::function<bool()>& holds) {
  for (const Stopwatch watch; watch.seconds() < limit; sleep_until_ns(monotonic_ns() + 2'000'000))
    if (holds()) return true;
  return holds();
}

}  // namespace flyball
