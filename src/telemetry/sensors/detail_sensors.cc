#include "telemetry/sensors/detail_sensors.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/files.h"
#include "base/folder_entries.h"
#include "base/text.h"
#include "telemetry/sensors/proc_parse.h"
#include "telemetry/sensors/proc_sensor.h"
#include "telemetry/sensors/simple_sensors.h"
#include "telemetry/sensors/system_sensors.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

SensorInfo info(std::string name, const char* unit, SensorKind kind, const char* source) {
  return {.name = std::move(name), .unit = unit, .kind = kind, .source = source};
}

std::optional<double> number(std::optional<uint64_t> value, double scale = 1) {
  if (!value) return {};
  return static_cast<double>(*value) * scale;
}

// Absent files mean a kernel without that feature: nothing that a user could miss.
void add_if_there(SensorList& list, SensorPtr sensor) {
  if (sensor->read()) list.sensors.push_back(std::move(sensor));
}

std::string trimmed(const fs::path& file) {
  const auto text = read_file(file, 4096);
  return text ? std::string(trim(*text)) : "";
}

// Names of the lines of single cores: those that are offline have none.
std::vector<std::string> core_lines(std::string_view stat) {
  std::vector<std::string> names;
  for (const std::string& line : split(std::string(stat), '\n')) {
    const std::string name = line.substr(0, line.find(' '));
    if (name.starts_with("cpu") && parse_integer(name.substr(3)) && parse_cpu_ticks(stat, name))
      names.push_back(name);
  }
  return names;
}

void add_cores(SensorList& list, const fs::path& root) {
  const double tick_s = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  const auto text = read_file(root / "proc/stat", 1 << 22);
  if (!text) return;
  const auto file = std::make_shared<SharedFile>(root / "proc/stat", 65536);
  for (const std::string& core : core_lines(*text))
    list.sensors.push_back(
        proc_sensor(info(core + "_time", "s", SensorKind::counter, "proc"), file,
                    [core, tick_s](std::string_view now) -> std::optional<double> {
                      const auto ticks = parse_cpu_ticks(now, core);
                      if (!ticks) return {};
                      return static_cast<double>(ticks->busy) * tick_s;
                    }));
}

void add_swap(SensorList& list, const fs::path& root) {
  add_if_there(list,
               proc_sensor(info("swap_used", "B", SensorKind::gauge, "proc"), root / "proc/meminfo",
                           4096, [](std::string_view text) -> std::optional<double> {
                             const auto total = parse_kb_line(text, "SwapTotal");
                             const auto free = parse_kb_line(text, "SwapFree");
                             if (!total || !free) return {};
                             return static_cast<double>(*total) - static_cast<double>(*free);
                           }));
  const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  const auto file = std::make_shared<SharedFile>(root / "proc/vmstat", 16384);
  for (const auto& [name, key] : {std::pair("swap_in", "pswpin"), {"swap_out", "pswpout"}})
    add_if_there(list, proc_sensor(info(name, "B", SensorKind::counter, "proc"), file,
                                   [key = std::string(key), page](std::string_view text) {
                                     return number(parse_vmstat(text, key), page);
                                   }));
}

void add_pressure(SensorList& list, const fs::path& root) {
  for (const char* resource : {"cpu", "memory", "io"})
    add_if_there(
        list,
        proc_sensor(info(fmt::format("{}_pressure", resource), "s", SensorKind::counter, "proc"),
                    root / "proc/pressure" / resource, 512, [](std::string_view text) {
                      return number(parse_pressure(text, "some"), 1e-6);
                    }));
}

void add_disks(SensorList& list, const fs::path& root) {
  struct Figure {
    const char* name;
    const char* unit;
    uint64_t DiskStat::*field;
    double scale;
  };
  const Figure figures[] = {{"disk_read", "B", &DiskStat::read_bytes, 1},
                            {"disk_written", "B", &DiskStat::write_bytes, 1},
                            {"disk_reads", "1", &DiskStat::reads, 1},
                            {"disk_writes", "1", &DiskStat::writes, 1},
                            {"disk_busy", "s", &DiskStat::busy_ms, 1e-3}};
  const auto file = std::make_shared<SharedFile>(root / "proc/diskstats", 65536);
  for (const std::string& disk : disk_names(root))
    for (const Figure& figure : figures)
      add_if_there(
          list, proc_sensor(info(fmt::format("{}:{}", figure.name, disk), figure.unit,
                                 SensorKind::counter, "proc"),
                            file, [disk, figure](std::string_view text) -> std::optional<double> {
                              const auto stat = parse_diskstats(text, disk);
                              if (!stat) return {};
                              return number((*stat).*figure.field, figure.scale);
                            }));
}

// How often something slowed the board down, over all files that count it.
void add_events(SensorList& list, const std::string& name, Throttling throttling,
                std::vector<std::string> files) {
  if (files.empty()) return;
  SensorInfo counter = info(name, "1", SensorKind::counter, "thermal");
  counter.throttling = throttling;
  add_if_there(list, sum_of_files(std::move(counter), std::move(files)));
}

void add_throttling(SensorList& list, const fs::path& root) {
  std::vector<std::string> heat, current;
  for (const fs::path& cpu : folder_entries(root / "sys/devices/system/cpu", "cpu"))
    if (const fs::path file = cpu / "thermal_throttle/core_throttle_count"; fs::exists(file))
      heat.push_back(file);
  for (const fs::path& hwmon : folder_entries(root / "sys/class/hwmon", "hwmon"))
    for (const fs::path& file : folder_entries(hwmon, "oc"))
      if (file.string().ends_with("_event_cnt")) current.push_back(file);
  add_events(list, "cpu_throttle", Throttling::cpu_events, std::move(heat));
  add_events(list, "over_current", Throttling::over_current_events, std::move(current));
}

void add_temperature(SensorList& list, const std::string& name, const fs::path& file) {
  const std::string label = "temp:" + name;
  // Two sensors of one driver often share a label.
  std::string unique = label;
  for (int n = 2; list.find(unique); ++n) unique = fmt::format("{}#{}", label, n);
  auto sensor = file_sensor(info(unique, "C", SensorKind::gauge, "thermal"), file, 1e-3);
  const auto value = sensor->read();
  if (value && *value > -200) list.sensors.push_back(std::move(sensor));
}

}  // namespace

SensorList open_detail_sensors(const fs::path& root) {
  SensorList list;
  add_cores(list, root);
  add_swap(list, root);
  add_pressure(list, root);
  add_disks(list, root);
  return list;
}

SensorList open_clock_sensors(const fs::path& root) {
  SensorList list;
  for (const fs::path& policy : folder_entries(root / "sys/devices/system/cpu/cpufreq", "policy")) {
    const std::string number_of = policy.filename().string().substr(6);
    add_if_there(list, file_sensor(info(fmt::format("cpu{}_mhz", number_of), "MHz",
                                        SensorKind::gauge, "cpufreq"),
                                   policy / "scaling_cur_freq", 1e-3));
  }
  if (list.sensors.empty())
    list.gaps.push_back({Code::unavailable, "CPU clocks cannot be read: there is no cpufreq",
                         "virtual machines have none; on hardware load the cpufreq driver"});
  return list;
}

SensorList open_thermal_sensors(const fs::path& root) {
  SensorList list;
  for (const fs::path& zone : folder_entries(root / "sys/class/thermal", "thermal_zone"))
    add_temperature(list, trimmed(zone / "type"), zone / "temp");
  for (const fs::path& hwmon : folder_entries(root / "sys/class/hwmon", "hwmon"))
    for (const fs::path& file : folder_entries(hwmon, "temp")) {
      const std::string name = file.filename().string();
      if (!name.ends_with("_input")) continue;
      const std::string label = trimmed(hwmon / (name.substr(0, name.size() - 6) + "_label"));
      add_temperature(list, trimmed(hwmon / "name") + (label.empty() ? "" : ":" + label), file);
    }
  add_throttling(list, root);
  return list;
}

}  // namespace flyball
