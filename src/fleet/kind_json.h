// Boards of a fleet in documents of `--json`.
#pragma once

#include "base/json_fwd.h"
#include "fleet/fleet_kind.h"

namespace flyball {

Json fleet_kind_json(const FleetKind& kind);

}  // namespace flyball
