#include "telemetry/power_sensors.h"

#include <algorithm>

#include "base/text.h"
#include "telemetry/rapl.h"

namespace flyball {
namespace {

bool measures_power(const SensorPtr& sensor) {
  const SensorKind kind = sensor->info().kind;
  return kind == SensorKind::power || kind == SensorKind::energy_counter;
}

}  // namespace

SensorList open_power_sensors(const std::filesystem::path& root) {
  SensorList list = open_rapl(root);
  // A machine has one kind of sensor or another: what it was never built with is not missing.
  if (std::ranges::any_of(list.sensors, measures_power))
    std::erase_if(list.gaps, [](const Error& gap) { return gap.code == Code::unavailable; });
  return list;
}

std::string power_gap(const SensorList& list) {
  if (std::ranges::any_of(list.sensors, measures_power)) return "";
  std::vector<std::string> reasons;
  for (const Error& gap : list.gaps) reasons.push_back(gap.message);
  return "power is not available on this machine: " + join(reasons, "; ");
}

}  // namespace flyball
