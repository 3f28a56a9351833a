// Are the rails plausible, and do they tell what NVIDIA's own tools tell?
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/verify/verification.h"
#include "telemetry/sampling/tegrastats.h"
#include "telemetry/sensors/sensor.h"

namespace flyball {

/// A program of the board: usr/bin or usr/sbin below the root; of the real root on PATH as well.
/// Errors: it is not there; somebody else could have written it (trusted_code()).
Result<std::filesystem::path> find_board_tool(const std::filesystem::path& root,
                                              const std::string& name);

/// Reads every power sensor and energy counter of the list ten times a second. A rail that fails is
/// missing.
std::vector<RailCheck> watch_rails(const SensorList& sensors, double seconds,
                                   const std::atomic<bool>* interrupted);
/// Why these figures cannot be power of a board; "" where they can.
std::string rail_fault(const RailCheck& rail);

/// Watches the rails while `tool`, tegrastats, runs; it is ended afterwards. Errors: it does not
/// start; what it printed is no log of it, with its first words.
struct ComparedRails {
  std::vector<RailCheck> rails;         ///< with tegrastats_w where it knows a rail of that name
  std::vector<std::string> only_there;  ///< rails that tegrastats alone has
  TegrastatsLog log;
};
Result<ComparedRails> compare_with_tegrastats(const SensorList& sensors,
                                              const std::filesystem::path& tool, double seconds,
                                              const std::atomic<bool>* interrupted);
/// Rails that differ by more than a tenth and by more than 0.2 W.
bool differs(const RailCheck& rail);

/// What `nvpmodel -q` prints: "NV Power Mode: 30W", then its number.
struct PresetInForce {
  std::string name{};
  std::optional<int> id{};
};
PresetInForce parse_nvpmodel_query(std::string_view text);

}  // namespace flyball
