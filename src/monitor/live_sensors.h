// The sensors of a machine by what a frame needs them for. Inside the room.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "monitor/board_frame.h"
#include "monitor/rail_meter.h"
#include "telemetry/sensors/sensor.h"

namespace flyball {

/// A sensor that goes up: its slope between two looks.
class SlopeSensor {
 public:
  explicit SlopeSensor(SensorPtr sensor) : sensor_(std::move(sensor)) {}
  /// What it shows; nothing where it does not read.
  std::optional<double> look();
  /// Units/s between the last two looks; nothing before the second.
  std::optional<double> slope() const { return slope_; }

 private:
  SensorPtr sensor_;
  int64_t time_ns_ = 0;
  double value_ = 0;
  std::optional<double> slope_;
};

struct NamedClock {
  SensorPtr sensor;
  std::string name, axis;
};

struct NamedDisk {
  std::string name;
  SlopeSensor read, written;
};

struct NamedCore {
  size_t number = 0;
  SlopeSensor busy;
};

struct LiveSensors {
  std::string total;                         ///< preferred_total()
  std::vector<RailMeter> rails, slow_rails;  ///< a slow one runs a tool each time that it is read
  std::vector<NamedClock> clocks;
  std::vector<SensorPtr> gpu_busy, temperatures;
  std::vector<SensorPtr> throttling, slow_throttling;
  SensorPtr fan, fan_rpm, memory_used, page_cache, swap_used;  ///< null where there is none
  std::vector<NamedDisk> disks;
  std::vector<Error> gaps;
};
LiveSensors open_live_sensors(const std::filesystem::path& root, Seconds interval);
/// Those of the cores that are on now.
std::vector<NamedCore> open_core_sensors(const std::filesystem::path& root);

}  // namespace flyball
