// Rounds of federated training as people read them.
#pragma once

#include <string>

#include "fleet/rounds/rounds.h"

namespace flyball::cli {

std::string fleet_rounds_text(const RoundsAnswer& answer);

}  // namespace flyball::cli
