// One power sensor or energy counter, read again and again: power now, energy since the first time.
#pragma once

#include <optional>

#include "base/status.h"
#include "base/units.h"
#include "monitor/board_frame.h"
#include "telemetry/sampling/counter.h"
#include "telemetry/sampling/trace.h"
#include "telemetry/sensors/sensor.h"

namespace flyball {

class RailMeter {
 public:
  /// `period`: how often it will be read. Of power, what lies further apart is a gap, and adds no
  /// energy; a counter has counted through it.
  RailMeter(SensorPtr sensor, bool in_total, Seconds period);
  /// Reads it. Error: why it does not read, what it told before stays out of the frame; or a
  /// counter that may have gone round, or was reset, since it was read: of that time nothing is
  /// known.
  Status read();
  const RailFrame& frame() const { return frame_; }

 private:
  void take_power(const Sample& now);
  Status take_energy(const Sample& now);

  SensorPtr sensor_;
  RailFrame frame_;
  Trace pair_;  ///< the last two samples
  UnwrappedCounter counter_;
  std::optional<Sample> moved_;  ///< when the counter last moved, and its amount then
};

}  // namespace flyball
