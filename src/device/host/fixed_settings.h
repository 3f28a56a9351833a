// What of a board stays as it is while its modes change: governors, DVFS, fan, idle states.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/json_fwd.h"
#include "boards/identity.h"
#include "space/conditions.h"

namespace flyball {

/// What stays as it is while modes change, and is recorded with them.
struct FixedSettings {
  std::string cpu_governor, gpu_governor;  ///< "" where there is none
  std::optional<bool> dvfs_pinned;  ///< CPU and GPU: minimum = maximum; nothing without clocks
  std::optional<double> fan_pwm;    ///< 0 to 255; nothing where no fan is shown
  std::optional<int> idle_states;   ///< of cpu0 that may be entered; nothing without cpuidle
};
FixedSettings read_fixed(const BoardIdentity& board, const std::filesystem::path& root);
FixedSettings read_fixed(const std::filesystem::path& root);
Json fixed_json(const FixedSettings& fixed);

/// As conditions of what is measured (space/conditions.h): "CPU governor", "GPU governor", "DVFS"
/// (pinned or free before any mode was set), "fan", "idle states" (how many, or off). A fan that
/// follows the temperature stops and turns by itself: it is "full" or "by temperature".
Conditions fixed_conditions(const FixedSettings& fixed);

}  // namespace flyball
