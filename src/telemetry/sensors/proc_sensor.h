// A sensor that parses one file; what the Linux sensors are made of.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/sensors/sensor.h"

namespace flyball {

using ParseFile = std::function<std::optional<double>(std::string_view)>;

/// Reads at most `buffer_bytes` of the file at `path` each time, and parses them.
SensorPtr proc_sensor(SensorInfo info, std::string path, size_t buffer_bytes, ParseFile parse);

/// The sum of the numbers that stand in several files, times `scale`.
SensorPtr sum_of_files(SensorInfo info, std::vector<std::string> paths, double scale = 1);

/// Puts the sensor into the list when it can be read now, else its error among the gaps.
void add_if_readable(SensorList& list, SensorPtr sensor);

}  // namespace flyball
