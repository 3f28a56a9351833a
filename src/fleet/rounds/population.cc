#include "fleet/rounds/population.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace flyball {
namespace {

/// Lognormal with this mean.
double drawn_around(Random& random, double mean, double spread) {
  const double deviation = random.normal();
  return mean * std::exp(spread * deviation - spread * spread / 2);
}

RoundClient drawn_client(uint32_t kind, size_t place, const DrawnClients& drawn) {
  Random random(mix_seed(drawn.seed, place));
  RoundClient client{kind};
  client.samples =
      std::max(1.0, std::round(drawn_around(random, drawn.samples, drawn.samples_spread)));
  const double reach = std::min(drawn.available, 1 - drawn.available);
  client.available = drawn.available + reach * random.uniform(-1, 1);
  client.dropout = drawn.dropout;
  client.transfer_s = drawn_around(random, drawn.transfer_s, drawn.transfer_spread);
  client.slowness = drawn_around(random, 1, drawn.board_spread);
  return client;
}

}  // namespace

Status share_out_clients(std::vector<FleetEntry>& entries, size_t clients) {
  size_t boards = 0;
  for (const FleetEntry& entry : entries) boards += entry.boards;
  if (boards == 0) return {};
  if (clients == 0) clients = boards;
  if (clients > most_clients)
    return Error{Code::invalid_argument, fmt::format("{} clients are named", clients),
                 fmt::format("at most {} are simulated: give --clients", most_clients)};
  size_t before = 0, given = 0;
  for (FleetEntry& entry : entries) {  // what all kinds so far come to, rounded
    before += entry.boards;
    const size_t until = (before * clients + boards / 2) / boards;
    entry.boards = until - given;
    given = until;
  }
  std::erase_if(entries, [](const FleetEntry& entry) { return entry.boards == 0; });
  return {};
}

Population draw_population(std::vector<FleetKind> kinds, const DrawnClients& drawn) {
  Population population{std::move(kinds), {}, {}};
  for (size_t kind = 0; kind < population.kinds.size(); ++kind)
    for (size_t i = 0; i < population.kinds[kind].boards; ++i)
      population.clients.push_back(
          drawn_client(static_cast<uint32_t>(kind), population.clients.size(), drawn));
  return population;
}

}  // namespace flyball
