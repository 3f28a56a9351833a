// The modes that a power budget is kept with where nobody profiled what runs, the fastest first.
#pragma once

#include <cstddef>
#include <vector>

#include "boards/preset.h"
#include "device/device.h"

namespace flyball {

struct ModeLadder {
  std::vector<PowerMode> modes;
  size_t present = 0;  ///< the mode that is in force

  bool climbs() const { return modes.size() > 1; }
};

/// The board's presets, where it has two or more that differ in what can be set for other
/// processes; else `mode_steps` steps of all those axes together, evenly from their highest values
/// to their lowest. The mode in force is one of them. Of a board without such axes, that alone.
ModeLadder mode_ladder(const Device& knobs, const Presets& presets);
inline constexpr size_t mode_steps = 8;

}  // namespace flyball
