// Preset power modes of a Jetson (nvpmodel): what each sets, and setting one as nvpmodel does. A
// preset is a set of caps: clocks stay free below them.
#pragma once

#include <filesystem>
#include <string>

#include "boards/preset.h"
#include "device/host/board_device.h"

namespace flyball {

/// Those of etc/nvpmodel.conf below `root`; none where there is no such file.
Presets read_presets(const std::filesystem::path& root, const BoardDevice& board);

/// Says anew which of them is active and which a cap contradicts, by the caps that are in force
/// (caps_in_force()), of the axes whose cap reads.
/// nvpmodel's own word (`told`) is of the last time that it was run, and whoever set a mode since
/// did not tell it: it decides between presets of equal caps, or where caps do not read.
void judge_by_caps(Presets& presets, const BoardDevice& board, const PowerMode& in_force);

/// By name or number. Errors: there is none, or it is ambiguous.
Result<const Preset*> find_preset(const Presets& presets, const std::string& name);

/// Sets its cores and caps on the claimed board, each read back.
Status set_preset(const Preset& preset, const std::filesystem::path& root, BoardDevice& board);

}  // namespace flyball
