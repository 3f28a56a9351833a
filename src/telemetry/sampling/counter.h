// Counters that wrap or start over, made into amounts that never fall.
#pragma once

#include <cstdint>

#include "telemetry/sensors/sensor.h"

namespace flyball {

/// Amount since the first reading. A fall is a wrap when that is plausible for the time that
/// passed, else the counter was reset; what was counted around a reset is unknown and not added.
/// Nor is what was counted in a time in which the counter may have gone round.
class UnwrappedCounter {
 public:
  explicit UnwrappedCounter(const SensorInfo& info) : wrap_(info.wrap), max_rate_(info.max_rate) {}

  /// Takes a raw reading and returns the amount so far; never less than before.
  double add(int64_t time_ns, double raw);
  int wraps() const { return wraps_; }
  /// Else the amount misses what happened in the last step.
  bool last_step_known() const { return last_step_known_; }

 private:
  bool plausible(double step, double seconds) const;
  bool may_have_gone_round(double seconds) const;

  double wrap_, max_rate_;
  bool first_ = true, last_step_known_ = true;
  int64_t time_ns_ = 0;
  double raw_ = 0, amount_ = 0;
  int wraps_ = 0;
};

}  // namespace flyball
