// Power rails of Jetson modules: INA3221 monitors, in both layouts of NVIDIA's kernels.
#pragma once

#include <filesystem>

#include "telemetry/sensors/sensor.h"

namespace flyball {

/// Every labelled rail in W: iio folders of JetPack 4 (driver ina3221x), hwmon folders of JetPack 5
/// and later (driver ina3221), and INA238 chips (Thor). Totals of a known board: "module", the sum
/// of the rails that carry it (never a rail and what it feeds: on AGX Orin VIN_SYS_5V0 feeds
/// VDDQ_VDD2_1V8AO), and "monitor", all labelled rails, as the common monitor and the published
/// tables have it (sensor "all rails"). A board that is not known has no total, and a gap says so.
/// A dead channel is a gap of its own, and ends the sums that it belongs to.
SensorList open_ina3221(const std::filesystem::path& root = "/");

}  // namespace flyball
