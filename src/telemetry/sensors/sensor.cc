#include "telemetry/sensors/sensor.h"

#include <algorithm>
#include <iterator>

namespace flyball {

const char* sensor_kind_name(SensorKind kind) {
  switch (kind) {
    case SensorKind::energy_counter:
      return "energy_counter";
    case SensorKind::power:
      return "power";
    case SensorKind::counter:
      return "counter";
    case SensorKind::gauge:
      return "gauge";
  }
  return "gauge";
}

void SensorList::append(SensorList other) {
  std::ranges::move(other.sensors, std::back_inserter(sensors));
  std::ranges::move(other.gaps, std::back_inserter(gaps));
}

SensorPtr SensorList::find(const std::string& name) const {
  for (const SensorPtr& sensor : sensors)
    if (sensor->info().name == name) return sensor;
  return nullptr;
}

}  // namespace flyball
