// Sensors whose values a test, a benchmark or a user's own script provides.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "telemetry/sensors/sensor.h"

namespace flyball {

/// A sensor that shows the number in a file, re-read each time: any driver, or a script that keeps
/// the file fresh. Values are multiplied by `scale`.
SensorPtr file_sensor(SensorInfo info, std::filesystem::path path, double scale = 1);

/// A sensor that plays a file of `time_s,value` lines (time from the first read, ascending). Holds
/// each value until the next line's time; after the last line it starts again when `repeat`, else
/// holds. Errors name file and line.
Result<SensorPtr> scripted_sensor(SensorInfo info, const std::filesystem::path& path,
                                  bool repeat = false);

/// A sensor that computes its value from the monotonic time.
SensorPtr function_sensor(SensorInfo info, std::function<Result<double>(int64_t now_ns)> value);

}  // namespace flyball
