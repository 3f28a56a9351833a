// What a board draws in a power mode while nothing runs: its base load.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "device/device.h"
#include "device/power_meter.h"

namespace flyball {

struct IdleOptions {
  double settle_s = 2;  ///< at least, after the mode was set; then until power has settled (30 s)
  double seconds = 10;  ///< that are measured, in five stretches
  const std::atomic<bool>* interrupted = nullptr;
};

struct IdlePower {
  std::string device{}, fingerprint{};  ///< as in Measurement
  PowerMode mode{};              ///< as it was asked for: what was set; empty: the board as it was
  PowerMode caps{};              ///< of all axes, while it was measured
  std::optional<bool> pinned{};  ///< clocks, where that is known: modes/mode.h
  std::string total{};           ///< which total the power is
  double power_w = 0, q1_w = 0, q3_w = 0;  ///< median and quartiles of the stretches
  double settle_s = 0, seconds = 0;
  bool settled = true;                  ///< power had settled before it was measured
  int updates = 0;                      ///< distinct ones of the sensor
  std::optional<double> other_cores{};  ///< that other processes kept busy meanwhile
  std::string disturbed{};              ///< who else measured on this machine; "" nobody
  std::string measured_utc{};
  Provenance provenance = Provenance::measured;  ///< else simulated
};

/// Sets the mode alone (set_alone()), waits, and measures; the mode stays until it is restored.
/// Errors: the mode cannot be set; no power is measured here; `interrupted`.
Result<IdlePower> measure_idle(Device& device, PowerMeter& meter, const PowerMode& mode,
                               const IdleOptions& options);

}  // namespace flyball
