// Power rails of Jetson modules: INA3221 monitors, in both layouts of NVIDIA's kernels.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "telemetry/sensors/sensor.h"

namespace flyball {

/// Every labelled rail in W: iio folders of JetPack 4 (driver ina3221x), hwmon folders of JetPack 5
/// and later (driver ina3221). The sum "module" is made up of the rails that carry it on this board
/// (never a rail and what it feeds: on AGX Orin VIN_SYS_5V0 feeds VDDQ_VDD2_1V8AO); an unknown set
/// of rails has no total, and a gap says so. A dead channel is a gap of its own.
SensorList open_ina3221(const std::filesystem::path& root = "/");

/// Rails that add up to the module's power, given all rails of a board; empty for a board we do not
/// know.
std::vector<std::string> module_rails(const std::vector<std::string>& rails);

}  // namespace flyball
