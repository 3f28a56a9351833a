#include "monitor/live_sensors.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "telemetry/sensors/board_sensors.h"
#include "telemetry/sensors/detail_sensors.h"
#include "telemetry/sensors/power_sensors.h"
#include "telemetry/sensors/system_sensors.h"

namespace flyball {
namespace {

// "cpu4_mhz", "gpu_mhz", "gpu0_mem_mhz", "emc_mhz" as what a frame calls them.
NamedClock named_clock(const SensorPtr& sensor) {
  const std::string& name = sensor->info().name;
  const std::string short_name = name.substr(0, name.size() - 4);
  const char* of_axis = short_name.starts_with("cpu") ? axis::cpu_mhz
                        : short_name == "gpu"         ? axis::gpu_mhz
                        : short_name == "emc"         ? axis::mem_mhz
                                                      : "";
  return {sensor, short_name, of_axis};
}

void add_rail(const SensorPtr& sensor, const SensorList& list, Seconds interval,
              LiveSensors& into) {
  const SensorInfo& info = sensor->info();
  if (repeats_another(info, list)) return;
  const bool in_total = !info.total.empty() && info.total == into.total;
  const bool slow = runs_a_tool(info);
  const Seconds period{slow ? std::max(1.0, interval.value) : interval.value};
  (slow ? into.slow_rails : into.rails).emplace_back(sensor, in_total, period);
}

void sort_in(const SensorPtr& sensor, const SensorList& list, Seconds interval, LiveSensors& into) {
  const SensorInfo& info = sensor->info();
  if (is_power(info)) return add_rail(sensor, list, interval, into);
  if (info.throttling != Throttling::none)
    (runs_a_tool(info) ? into.slow_throttling : into.throttling).push_back(sensor);
  else if (info.name.ends_with("_mhz"))
    into.clocks.push_back(named_clock(sensor));
  else if (info.name.starts_with("gpu") && info.name.ends_with("_busy") &&
           !info.name.ends_with("_mem_busy"))
    into.gpu_busy.push_back(sensor);
  else if (info.unit == "C")
    into.temperatures.push_back(sensor);
  else if (info.name == "fan_pwm")
    into.fan = sensor;
  else if (info.name == "fan_rpm")
    into.fan_rpm = sensor;
}

void add_memory_and_disks(const std::filesystem::path& root, LiveSensors& into) {
  SensorList list = open_system_sensors(root);
  list.append(open_detail_sensors(root));
  list.append(open_page_cache_sensor(root));
  into.memory_used = list.find("memory_used");
  into.page_cache = list.find("page_cache");
  into.swap_used = list.find("swap_used");
  for (const std::string& disk : disk_names(root)) {
    const SensorPtr read = list.find("disk_read:" + disk);
    const SensorPtr written = list.find("disk_written:" + disk);
    if (read && written) into.disks.push_back({disk, SlopeSensor(read), SlopeSensor(written)});
  }
}

}  // namespace

std::optional<double> SlopeSensor::look() {
  const auto value = sensor_->read();
  const int64_t now = monotonic_ns();
  slope_.reset();
  if (!value) {
    time_ns_ = 0;
    return {};
  }
  if (time_ns_ != 0 && now > time_ns_ && *value >= value_)
    slope_ = (*value - value_) / (static_cast<double>(now - time_ns_) * 1e-9);
  time_ns_ = now;
  value_ = *value;
  return *value;
}

LiveSensors open_live_sensors(const std::filesystem::path& root, Seconds interval) {
  LiveSensors sensors;
  SensorList list = open_power_sensors(root);
  sensors.total = preferred_total(list);
  list.append(open_clock_sensors(root));
  list.append(open_board_sensors(root));
  list.append(open_thermal_sensors(root));
  for (const SensorPtr& sensor : list.sensors) sort_in(sensor, list, interval, sensors);
  add_memory_and_disks(root, sensors);
  sensors.gaps = std::move(list.gaps);
  if (sensors.temperatures.empty())
    sensors.gaps.push_back({Code::unavailable, "no temperature can be read",
                            "virtual machines and containers often have no thermal zones"});
  return sensors;
}

std::vector<NamedCore> open_core_sensors(const std::filesystem::path& root) {
  std::vector<NamedCore> cores;
  for (const SensorPtr& sensor : open_detail_sensors(root).sensors) {
    const std::string& name = sensor->info().name;
    if (!name.starts_with("cpu") || !name.ends_with("_time")) continue;
    const auto number = parse_integer(name.substr(3, name.size() - 8));
    if (number && *number >= 0 && *number < 4096)
      cores.push_back({static_cast<size_t>(*number), SlopeSensor(sensor)});
  }
  return cores;
}

}  // namespace flyball
