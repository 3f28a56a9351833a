// Boards of a fleet and their modes in documents of `--json`.
#pragma once

#include "base/json_fwd.h"
#include "fleet/fleet_kind.h"

namespace flyball {

Json fleet_kind_json(const FleetKind& kind);
Json fleet_config_json(const Settings& settings);

}  // namespace flyball
