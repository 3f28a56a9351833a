// Plans of a fleet as people read them.
#pragma once

#include <string>

#include "fleet/choose.h"

namespace flyball::cli {

std::string fleet_choice_text(const FleetAnswer& answer);

}  // namespace flyball::cli
