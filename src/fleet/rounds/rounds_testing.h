// A small population whose figures are easy to enumerate.
#pragma once

#include "fleet/rounds/population.h"

namespace flyball {

/// A kind of `modes` modes, of which the fastest takes a third of the slowest one's time.
inline FleetKind small_kind(const std::string& name, size_t boards, size_t modes, double slowest_ms,
                            double least_w) {
  FleetKind kind{name, name, boards};
  kind.idle_w = 0.3 * least_w;
  kind.known_modes = modes;
  for (size_t i = 0; i < modes; ++i) {
    const double speed = 1 + 2 * static_cast<double>(i) / static_cast<double>(modes);
    kind.front.push_back({{{"gpu_mhz", 100.0 * static_cast<double>(i + 1)}},
                          slowest_ms / speed,
                          least_w * (1 + 0.9 * (speed - 1) + 0.4 * (speed - 1) * (speed - 1))});
  }
  kind.maxn = {{{"gpu_mhz", 100.0 * static_cast<double>(modes)}},
               kind.front.back().minibatch_ms * 0.99,
               kind.front.back().power_w * 1.4};
  return kind;
}

/// Two kinds, half of the clients each.
inline Population small_population(size_t clients, uint64_t seed) {
  DrawnClients drawn;
  drawn.samples = 200;
  drawn.transfer_s = 1;
  drawn.seed = seed;
  return draw_population({small_kind("small", clients - clients / 2, 3, 600, 5),
                          small_kind("large", clients / 2, 4, 250, 12)},
                         drawn);
}

}  // namespace flyball
