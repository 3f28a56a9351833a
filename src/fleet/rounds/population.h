// The clients of federated training: boards with data of their own that come and go.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/csv.h"
#include "fleet/fleet_file.h"
#include "fleet/fleet_kind.h"

namespace flyball {

struct RoundClient {
  uint32_t kind = 0;      ///< in the population's kinds
  double samples = 0;     ///< that it trains on in a round
  double available = 1;   ///< how often it can be asked: share of the rounds
  double dropout = 0;     ///< how often it is gone before it has answered
  double transfer_s = 0;  ///< for the model, there and back
  double slowness = 1;    ///< its minibatches take so many times those of its kind
};
inline constexpr size_t most_clients = 1'000'000;

struct Population {
  std::vector<FleetKind> kinds;  ///< with how many clients are of each
  std::vector<RoundClient> clients;
  std::vector<std::string> names;  ///< of the clients; none where they are drawn
};

/// `clients` among the boards in proportion to their numbers; 0: as many as there are. Boards that
/// come to none are left out. Error: more than most_clients.
Status share_out_clients(std::vector<FleetEntry>& entries, size_t clients);

/// How clients are drawn. Samples, transfers and slowness are lognormal.
struct DrawnClients {
  double samples = 500, samples_spread = 1;  ///< mean; standard deviation of the logarithm
  double available = 0.5;                    ///< mean of a share that is uniform around it
  double dropout = 0.05;                     ///< of each
  double transfer_s = 10, transfer_spread = 0.5;
  double board_spread = 0.05;  ///< of the boards of a kind
  uint64_t seed = 1;
};
/// As many of each kind as it has boards; a client's figures depend on its place and the seed
/// alone.
Population draw_population(std::vector<FleetKind> kinds, const DrawnClients& drawn);

/// A client of a file: its board as `--board` names it.
struct ClientRow {
  std::string name, board;
  RoundClient client;
};
/// Columns client, board, samples and where wanted available, dropout, transfer_s, slowness.
/// Errors name file, line and column; names twice; other columns; more than most_clients.
Result<std::vector<ClientRow>> parse_clients(const Csv& csv);
Result<std::vector<ClientRow>> read_clients(const std::filesystem::path& file);

}  // namespace flyball
