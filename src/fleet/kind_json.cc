#include "fleet/kind_json.h"

#include "base/json.h"

namespace flyball {

Json fleet_kind_json(const FleetKind& kind) {
  return {{"board", kind.name},
          {"title", kind.title},
          {"boards", kind.boards},
          {"idle_w", or_null(kind.idle_w)},
          {"power_total", text_or_null(kind.power_total)},
          {"modes", kind.known_modes},
          {"front", kind.front.size()}};
}

}  // namespace flyball
