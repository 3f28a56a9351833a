// Plans of a fleet as people read them.
#pragma once

#include <string>
#include <vector>

#include "fleet/choose.h"

namespace flyball::cli {

/// The kinds of a fleet, a line each.
std::string fleet_kinds_text(const std::vector<FleetKind>& kinds);
/// Clocks and cores, without settings of the training.
std::string fleet_mode_text(const Settings& config);
std::string fleet_choice_text(const FleetAnswer& answer);

}  // namespace flyball::cli
