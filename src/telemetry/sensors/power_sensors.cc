#include "telemetry/sensors/power_sensors.h"

#include <algorithm>

#include "base/os/told_errors.h"
#include "base/text.h"
#include "space/compute_place.h"
#include "telemetry/sensors/detail_sensors.h"
#include "telemetry/sensors/firmware_tool.h"
#include "telemetry/sensors/ina3221.h"
#include "telemetry/sensors/nvidia.h"
#include "telemetry/sensors/nvidia_gpus.h"
#include "telemetry/sensors/rapl.h"

namespace flyball {
namespace {

// One gap out of many: a machine has one driver or another, and the reader wants one answer.
Error no_rail_reads(const std::vector<Error>& gaps) {
  Error summary{Code::unavailable, std::string(no_power_here) + ": ", ""};
  std::vector<std::string> reasons, hints;
  for (const Error& gap : gaps) {
    reasons.push_back(gap.message);
    if (gap.code == Code::permission) {
      summary.code = Code::permission;
      hints.insert(hints.begin(), gap.hint);
    } else if (!gap.hint.empty()) {
      hints.push_back(gap.hint);
    }
  }
  summary.message += join(reasons, "; ");
  summary.hint = summary.code == Code::permission ? hints.front() : join(hints, "; ");
  return summary;
}

SensorList open_nvidia_of(const std::filesystem::path& root, std::optional<std::string> visible) {
  const auto library = nvml_library(root);
  if (library) return open_nvidia({.library = *library, .visible = std::move(visible)});
  if (library.error().code == Code::not_found) return {};  // a tree without GPUs
  return {{}, {library.error()}};
}

}  // namespace

SensorList open_trial_sensors(const std::filesystem::path& root, const std::string& gpu) {
  SensorList list = open_power_sensors(root, gpu);
  for (const SensorPtr& sensor : open_thermal_sensors(root).sensors)
    if (sensor->info().throttling != Throttling::none) list.sensors.push_back(sensor);
  return list;
}

bool measures_power(const SensorList& list) {
  return std::ranges::any_of(list.sensors,
                             [](const SensorPtr& sensor) { return is_power(sensor->info()); });
}

bool is_power(const SensorInfo& info) {
  return info.kind == SensorKind::power || info.kind == SensorKind::energy_counter;
}

bool repeats_another(const SensorInfo& info, const SensorList& list) {
  if (info.total == "monitor") return true;
  const size_t end = info.name.rfind("_power");
  return end != std::string::npos && info.source == "nvml" &&
         list.find(info.name.substr(0, end) + "_energy");
}

bool runs_a_tool(const SensorInfo& info) {
  return info.source == "firmware";
}

Seconds reading_period(const SensorInfo& info, Seconds asked) {
  return runs_a_tool(info) ? Seconds{std::max(asked.value, info.period_s)} : asked;
}

SensorList open_power_sensors(const std::filesystem::path& root, const std::string& gpu) {
  SensorList list = open_rapl(root);
  list.append(open_ina3221(root));
  list.append(open_firmware_tool(root));
  const auto visible = !gpu.empty()  ? std::optional<std::string>(gpu)
                       : root == "/" ? visible_gpus()
                                     : std::nullopt;
  list.append(open_nvidia_of(root, visible));
  if (!measures_power(list))
    list.gaps = {no_rail_reads(list.gaps)};
  else
    std::erase_if(list.gaps, [](const Error& gap) { return gap.code == Code::unavailable; });
  return list;
}

std::string power_gap(const SensorList& list) {
  if (measures_power(list)) return "";
  if (list.gaps.empty()) return std::string(no_power_here);
  const bool summed_up = list.gaps.front().message.starts_with(no_power_here);
  const Error gap = summed_up ? list.gaps.front() : no_rail_reads(list.gaps);
  return in_one_line(gap);
}

std::string brief_power_gap(const std::string& gap) {
  return gap.starts_with(no_power_here)
             ? std::string(no_power_here) + " (`flyball doctor` says why)"
             : gap;
}

std::string preferred_total(const SensorList& list, const std::string& wish) {
  std::vector<std::string> totals;
  for (const SensorPtr& sensor : list.sensors)
    if (!sensor->info().total.empty()) totals.push_back(sensor->info().total);
  for (const std::string& name :
       {wish, std::string("module"), std::string("package"), std::string("gpu")})
    if (std::ranges::count(totals, name) > 0) return name;
  return totals.empty() ? "" : totals.front();
}

std::string total_where(const SensorList& list, const std::string& compute) {
  const std::string whole = preferred_total(list);
  return cuda_number(compute) && whole != "module" ? preferred_total(list, "gpu") : whole;
}

}  // namespace flyball
