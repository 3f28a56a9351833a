// Time is monotonic; wall-clock time is metadata only.
#pragma once

#include <sys/time.h>

#include <cstdint>
#include <string>

namespace flyball {

/// Nanoseconds of CLOCK_MONOTONIC.
int64_t monotonic_ns();
/// Seconds of CLOCK_MONOTONIC.
inline double monotonic_s() {
  return static_cast<double>(monotonic_ns()) * 1e-9;
}
/// Seconds as whole nanoseconds.
inline int64_t nanoseconds(double seconds) {
  return static_cast<int64_t>(seconds * 1e9);
}
/// From one time to another, both in ns.
inline double seconds_between(int64_t from_ns, int64_t to_ns) {
  return static_cast<double>(to_ns - from_ns) * 1e-9;
}
inline double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}
/// Processor time of this process and all its threads, in s.
double process_cpu_seconds();
/// Sleeps until the absolute monotonic time, whatever signals arrive.
void sleep_until_ns(int64_t deadline_ns);
/// Now as ISO 8601 in UTC, e.g. "2026-03-01T12:30:05Z".
std::string wall_clock_utc();
/// A time in seconds since 1970 likewise, in whole seconds.
std::string utc_text(double unix_s);

/// Seconds since construction or the last restart.
class Stopwatch {
 public:
  double seconds() const { return static_cast<double>(monotonic_ns() - start_ns_) * 1e-9; }
  double milliseconds() const { return seconds() * 1e3; }
  /// Returns the elapsed seconds and starts again.
  double restart() {
    const double elapsed = seconds();
    start_ns_ = monotonic_ns();
    return elapsed;
  }

 private:
  int64_t start_ns_ = monotonic_ns();
};

}  // namespace flyball
