// What a board shows besides power: load and clock of its GPU, clock of its memory, fan.
#pragma once

#include <filesystem>

#include "telemetry/sensors/sensor.h"

namespace flyball {

/// "gpu_busy" (%) and "gpu_mhz" of a known board whose GPU is its own. What a board does not show,
/// or refuses to this user, is left out.
SensorList open_board_gpu(const std::filesystem::path& root = "/");

/// "gpu_busy" (%), "gpu_mhz", "emc_mhz" of a known board, "fan_pwm" (0 to 255) and
/// "fan_rpm" (turns per minute) where a fan is shown. What a board does not show, or refuses to
/// this user, is left out.
SensorList open_board_sensors(const std::filesystem::path& root = "/");

}  // namespace flyball
