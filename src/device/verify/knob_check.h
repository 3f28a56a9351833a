// Does a knob do what it says: set, read back, put back.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "device/device.h"
#include "device/verify/verification.h"

namespace flyball {

struct KnobCheckOptions {
  size_t values = 3;   ///< to try at most
  double stay_s = 1;   ///< a value must still be there after this
  bool clocks = true;  ///< is there a kernel whose clocks follow?
  const std::atomic<bool>* interrupted = nullptr;
};

/// The values of an axis to try: at most `count`, none above the ceiling, the ceiling's own first.
/// Empty: all lie above.
std::vector<double> values_to_try(const std::vector<double>& values, double ceiling, size_t count);

/// What the setting files of the board hold: cores, limits of clocks, the memory's lock and caps.
/// What the hardware moves by itself is not in it. Keys are paths below the root.
using BoardSettings = std::map<std::string, std::string>;
BoardSettings read_board_settings(const std::filesystem::path& root, const BoardIdentity& board);
/// "sys/…/max_freq: 1300500000 before, 612000000 now", for each that differs.
std::vector<std::string> changed_settings(const BoardSettings& before, const BoardSettings& after);

/// Sets each value alone, reads it back at once and once more after a moment, and puts the board
/// back as it was. Always puts back. What does not take stands in the values; errors: the board is
/// held by somebody else, `interrupted`.
Result<KnobCheck> check_knob(Device& device, const AxisState& axis,
                             const std::vector<double>& values, const KnobCheckOptions& options);

}  // namespace flyball
