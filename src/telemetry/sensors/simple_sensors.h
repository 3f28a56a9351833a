// Sensors that show what a file holds or a function says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "telemetry/sensors/sensor.h"

namespace flyball {

/// A sensor that shows the number in a file, re-read each time: any driver, or a script that keeps
/// the file fresh. Values are multiplied by `scale`.
SensorPtr file_sensor(SensorInfo info, std::filesystem::path path, double scale = 1);

/// A sensor that computes its value from the monotonic time.
SensorPtr function_sensor(SensorInfo info, std::function<Result<double>(int64_t now_ns)> value);

}  // namespace flyball
