// What the calling thread has cost so far, whatever else the machine does meanwhile.
#pragma once

#include <time.h>

namespace flyball {

/// Processor time of this thread, user and system, in seconds.
inline double thread_cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

}  // namespace flyball
