// Whatever measures power on this machine.
#pragma once

#include <filesystem>

#include "telemetry/sensor.h"

namespace flyball {

/// Power sensors and energy counters of all drivers. Gaps: those that exist but refuse; and where
/// there is no sensor at all, one gap that says which were looked for.
SensorList open_power_sensors(const std::filesystem::path& root = "/");

/// "power is not available on this machine: …" from the gaps of a list without power sensors; ""
/// when it has one.
std::string power_gap(const SensorList& list);

}  // namespace flyball
