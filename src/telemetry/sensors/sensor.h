// One number that this machine can be asked for, again and again.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace flyball {

/// What the number means, which decides what may be done with it.
enum class SensorKind {
  energy_counter,  ///< joules since some moment; power is its slope
  power,           ///< watts now, or averaged by the sensor over its natural period
  counter,         ///< any other amount since some moment: CPU seconds, bytes
  gauge,           ///< a state: clock, temperature, bytes in use, share
};
const char* sensor_kind_name(SensorKind kind);

/// What its number tells of throttling.
enum class Throttling {
  none,
  cpu_events,           ///< how often the CPU was slowed down by heat
  gpu_bits,             ///< throttle_reasons() (nvidia.h)
  firmware_bits,        ///< firmware_throttle_reasons() (firmware_tool.h)
  over_current_events,  ///< how often the board was slowed down by the current it drew
};

struct SensorInfo {
  std::string name{};  ///< unique on the machine: "package-0", "VDD_IN", "cpu_time"
  std::string unit{};  ///< "J", "W", "s", "B", "MHz", "C", "1" (share), "%", "bits"
  SensorKind kind = SensorKind::gauge;
  /// Driver it comes from: "rapl", "nvml", "proc". One slow source does not delay another.
  std::string source{};
  /// The sum it is added into: "module", "package", "gpu". "" for what is part of another sensor,
  /// or for what belongs to no sum: adding those would count twice.
  std::string total{};
  double period_s = 0;  ///< how often the value changes at its source; 0 = unknown or at once
  double wrap = 0;      ///< counters: starts again at 0 after this value; 0 = never
  /// Counters: the highest plausible slope, units/s. Above it a step is a reset and not a wrap.
  double max_rate = 0;
  Throttling throttling = Throttling::none;
};

class Sensor {
 public:
  explicit Sensor(SensorInfo info) : info_(std::move(info)) {}
  virtual ~Sensor() = default;
  Sensor(const Sensor&) = delete;
  Sensor& operator=(const Sensor&) = delete;
  const SensorInfo& info() const { return info_; }
  /// The value now, in info().unit. Called from one thread at a time; a successful read allocates
  /// nothing. Errors: the source vanished, refuses, or shows something that is no number.
  virtual Result<double> read() = 0;

 private:
  SensorInfo info_;
};

using SensorPtr = std::shared_ptr<Sensor>;

/// What was found, and what was looked for and not found: each gap says why and what to do.
struct SensorList {
  std::vector<SensorPtr> sensors;
  std::vector<Error> gaps;

  void append(SensorList other);
  /// The sensor of this name, or null.
  SensorPtr find(const std::string& name) const;
};

}  // namespace flyball
