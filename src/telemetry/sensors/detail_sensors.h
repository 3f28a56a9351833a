// What explains a run: clocks, temperatures, swap, pressure, single cores and disks.
#pragma once

#include <filesystem>

#include "telemetry/sensors/sensor.h"

namespace flyball {

/// Under `root`: "cpuN_time" (busy s per core) · "swap_used" (B), "swap_in", "swap_out" (B) ·
/// "cpu_pressure", "memory_pressure", "io_pressure" (s in which some task waited) ·
/// "disk_read:sda", "disk_written:sda" (B), "disk_reads:sda", "disk_writes:sda" (requests) and
/// "disk_busy:sda" (s) per whole disk. What a kernel does not have is left out.
SensorList open_detail_sensors(const std::filesystem::path& root = "/");

/// "cpuN_mhz" of every frequency policy, under the number of its first core; gap where there is no
/// cpufreq.
SensorList open_clock_sensors(const std::filesystem::path& root = "/");

/// Thermal zones and hwmon temperatures in C, e.g. "temp:x86_pkg_temp"; sensors that are off
/// (−256 °C) are left out. And, where they are counted, how often the CPU was slowed down by heat
/// ("cpu_throttle") and the board by over-current ("over_current").
SensorList open_thermal_sensors(const std::filesystem::path& root = "/");

}  // namespace flyball
