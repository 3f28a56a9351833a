// How hot a board is: it begins a cell when it is cool, and a cell is stopped before it is too hot.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>

#include "base/status.h"
#include "telemetry/sensors/sensor.h"

namespace flyball {

/// The sensors of temperatures below a root, opened once.
class Thermometer {
 public:
  explicit Thermometer(const std::filesystem::path& root);
  /// The temperature of the hottest place in °C; nothing where no sensor tells.
  std::optional<double> hottest_celsius() const;

 private:
  SensorList sensors_;
};

/// Waits until no place is this hot, for half an hour at most. Errors: it stays hotter
/// (unavailable), interrupted. Nothing is waited for where no sensor tells.
Status wait_until_cool(double below_c, const Thermometer& thermometer,
                       const std::atomic<bool>* cancelled, double patience_s = 1800);

}  // namespace flyball
