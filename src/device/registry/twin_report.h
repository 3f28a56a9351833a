// What a simulated board is, as `flyball doctor` and `flyball mode` tell it.
#pragma once

#include "device/doctor/doctor.h"
#include "device/registry/board.h"

namespace flyball {

/// Axes at their highest values, rails and totals at rest there, and what the simulation lacks as
/// problems. Its name ends with "(simulated)".
BoardReport report_of_twin(const Board& board);

/// They are not known, or boards of its kind have none.
std::string why_no_presets(const Board& board);
/// Which preset counts as the one in force, in words; "" where that is not known.
std::string delivered_in(const Presets& presets);

/// What can be done with it: modes, power, clocks, storages. Nothing of this machine.
std::vector<Capability> examine_twin(const Board& board);

}  // namespace flyball
