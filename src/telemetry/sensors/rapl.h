// Energy counters of x86 processors (Running Average Power Limit, Linux powercap).
#pragma once

#include <filesystem>

#include "telemetry/sensors/sensor.h"

namespace flyball {

/// Every readable domain under `root`/sys/class/powercap/intel-rapl:*, in J. Packages add up to the
/// total "package"; their parts (core, uncore), DRAM and psys belong to no total. AMD processors
/// show the same files. Gaps: no such files, or no permission.
SensorList open_rapl(const std::filesystem::path& root = "/");

}  // namespace flyball
