// What Linux knows of the whole machine: CPU time, memory, storage.
#pragma once

#include <filesystem>
#include <string>

#include "telemetry/sensors/sensor.h"

namespace flyball {

/// `cpu_time`: busy seconds since boot of all cores together (s, resolution one clock tick).
/// `memory_used`: total less available (B). `disk_read`, `disk_written`: bytes from and to whole
/// block devices since boot (B), all together. Gaps: files that `root`/proc lacks.
SensorList open_system_sensors(const std::filesystem::path& root = "/");

/// `page_cache`: bytes of files that memory holds (B).
SensorList open_page_cache_sensor(const std::filesystem::path& root = "/");

/// Bytes of this machine's memory; 0 when unknown.
double memory_bytes(const std::filesystem::path& root = "/");

/// Whole disks of `root`/sys/block that storage hangs on: no loop, ram or zram devices.
std::vector<std::string> disk_names(const std::filesystem::path& root = "/");

}  // namespace flyball
