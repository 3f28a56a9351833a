// What the firmware of a Raspberry Pi tells through its tool `vcgencmd`: power of the management
// chip's rails, under-voltage and throttling.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/sensors/sensor.h"

namespace flyball {

/// On a board whose file in boards/ names such a tool: each rail in W, their sum "pmic" (a total of
/// its own: it covers most of the board, not all), "EXT5V_V" (V, the input) and
/// "firmware_throttled" (bits). The tool is a program: it is run by its path below `root`, at most
/// ten times a second and for at most a second, and only when nobody but root or this user can have
/// written it. Nothing on other boards. Gaps: it is missing, not trusted, or answers something
/// else.
SensorList open_firmware_tool(const std::filesystem::path& root = "/");

/// One line of `vcgencmd pmic_read_adc`: "VDD_CORE_A current(7)=0.72402080A".
struct PmicValue {
  std::string name;  ///< "VDD_CORE_A"
  char unit = 'A';   ///< A or V
  double value = 0;
};
std::vector<PmicValue> parse_pmic(std::string_view text);

/// "throttled=0x50000": bit 0 under-voltage, 1 clock capped, 2 throttled, 3 soft temperature limit,
/// now; bits 16 to 19 the same since boot.
std::optional<uint64_t> parse_throttled(std::string_view text);
/// What its lower bits mean.
std::vector<std::string> firmware_throttle_reasons(uint64_t bits);

/// Code that we may run or load: a file of this machine (`root` is "/") that only root or this user
/// can have written. Nothing out of another tree, which somebody else may have made and this user
/// unpacked, unless FLYBALL_TREE_PROGRAMS is 1, for tests.
Status trusted_code(const std::filesystem::path& file, const std::filesystem::path& root);

}  // namespace flyball
