// Whatever measures power on this machine.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/units.h"
#include "telemetry/sensors/sensor.h"

namespace flyball {

/// Power sensors and energy counters of all drivers, and what tells about throttling. Drivers are
/// RAPL, INA3221 rails, the Raspberry Pi's firmware and, for the real root "/", NVIDIA's library
/// (GPUs that CUDA_VISIBLE_DEVICES hides belong to no total; with `gpu`, the identifier of one, all
/// others do not). Gaps: sensors that exist but refuse; and where nothing measures power, one gap
/// "power is not available on this machine: …".
SensorList open_power_sensors(const std::filesystem::path& root = "/", const std::string& gpu = "");
/// The same, and what tells whether the machine throttles.
SensorList open_trial_sensors(const std::filesystem::path& root = "/", const std::string& gpu = "");

/// Does it measure power or energy?
bool is_power(const SensorInfo& info);

/// Does any of them?
bool measures_power(const SensorList& list);

/// The same draw told twice: a sum of rails that are listed, or a GPU's power beside its counter.
bool repeats_another(const SensorInfo& info, const SensorList& list);

/// Does reading it run a program?
bool runs_a_tool(const SensorInfo& info);
/// How often to read it where `asked` is wished: what runs a program has one read for each of its
/// values.
Seconds reading_period(const SensorInfo& info, Seconds asked);

/// In front of why there is none, or alone.
inline constexpr std::string_view no_power_here = "power is not available on this machine";

/// "power is not available on this machine: …" with the remedies, from the gaps of a list without
/// power sensors; "" when it has one.
std::string power_gap(const SensorList& list);

/// The same for people, in one line: that there is none, and that doctor says why. What a gap says
/// else (a sensor that failed, a meter without readings) stays.
std::string brief_power_gap(const std::string& gap);

/// The total that stands for the machine: `wish` when it is there, else "module", "package", "gpu",
/// else the first one; "" when there is none.
std::string preferred_total(const SensorList& list, const std::string& wish = "");

/// The total that stands for a network that computes there ("cpu", "cuda:0"): on a GPU it is paid
/// for there, where the board has no sensor for all of it.
std::string total_where(const SensorList& list, const std::string& compute);

}  // namespace flyball
