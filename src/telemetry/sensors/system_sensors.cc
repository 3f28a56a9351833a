#include "telemetry/sensors/system_sensors.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/files.h"
#include "base/folder_entries.h"
#include "telemetry/sensors/proc_parse.h"
#include "telemetry/sensors/proc_sensor.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

SensorInfo proc_info(const char* name, const char* unit, SensorKind kind, double period_s = 0) {
  return {.name = name, .unit = unit, .kind = kind, .source = "proc", .period_s = period_s};
}

std::optional<double> used_memory(std::string_view text) {
  const auto total = parse_kb_line(text, "MemTotal");
  const auto available = parse_kb_line(text, "MemAvailable");
  if (!total || !available) return {};
  return static_cast<double>(*total) - static_cast<double>(*available);
}

ParseFile sum_of_disks(std::vector<std::string> disks, uint64_t DiskStat::*field) {
  return [disks = std::move(disks), field](std::string_view text) -> std::optional<double> {
    double sum = 0;
    for (const std::string& disk : disks)
      if (const auto stat = parse_diskstats(text, disk)) sum += static_cast<double>((*stat).*field);
    return sum;
  };
}

}  // namespace

SensorList open_system_sensors(const fs::path& root) {
  SensorList list;
  const double tick_s = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  const fs::path proc = root / "proc";
  add_if_readable(
      list, proc_sensor(proc_info("cpu_time", "s", SensorKind::counter, tick_s), proc / "stat", 512,
                        [tick_s](std::string_view text) -> std::optional<double> {
                          const auto ticks = parse_cpu_ticks(text, "cpu");
                          if (!ticks) return {};
                          return static_cast<double>(ticks->busy) * tick_s;
                        }));
  add_if_readable(list, proc_sensor(proc_info("memory_used", "B", SensorKind::gauge),
                                    proc / "meminfo", 4096, used_memory));
  const auto disks = disk_names(root);
  if (disks.empty()) return list;
  const auto diskstats = std::make_shared<SharedFile>(proc / "diskstats", 65536);
  for (const auto& [name, field] :
       {std::pair("disk_read", &DiskStat::read_bytes), {"disk_written", &DiskStat::write_bytes}})
    add_if_readable(list, proc_sensor(proc_info(name, "B", SensorKind::counter), diskstats,
                                      sum_of_disks(disks, field)));
  return list;
}

SensorList open_page_cache_sensor(const fs::path& root) {
  SensorList list;
  add_if_readable(
      list, proc_sensor(proc_info("page_cache", "B", SensorKind::gauge), root / "proc/meminfo",
                        4096, [](std::string_view text) -> std::optional<double> {
                          const auto cached = parse_kb_line(text, "Cached");
                          if (!cached) return {};
                          return static_cast<double>(*cached);
                        }));
  return list;
}

double memory_bytes(const fs::path& root) {
  const auto text = read_file(root / "proc/meminfo", 1 << 16);
  if (!text) return 0;
  return static_cast<double>(parse_kb_line(*text, "MemTotal").value_or(0));
}

std::vector<std::string> disk_names(const fs::path& root) {
  std::vector<std::string> names;
  for (const fs::path& disk : folder_entries(root / "sys/block")) {
    const std::string name = disk.filename().string();
    const bool virtual_device =
        std::ranges::any_of(std::array{"loop", "ram", "zram", "dm-", "md"},
                            [&](const char* prefix) { return name.starts_with(prefix); });
    if (!virtual_device) names.push_back(name);
  }
  return names;
}

}  // namespace flyball
