// `flyball fleet rounds`: the first round of federated training as it is decided, and how many
// rounds, how much time and energy it takes to a target, beside other ways to decide.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "fleet/rounds/simulate_rounds.h"

namespace flyball {

struct RoundsQuestion {
  FleetTraining training;
  RoundRules rules;
  ProgressProxy proxy;
  std::optional<DrawnClients> drawn{};  ///< how the clients were; nothing: they are of a file
  uint64_t seed = 1;
};

/// Clients of one kind that are asked in one mode.
struct RoundGroup {
  size_t kind = 0;
  FleetMode mode;
  size_t clients = 0;
  double samples = 0;    ///< of all of them
  double longest_s = 0;  ///< expected, of the one that takes longest
  double on_time = 0;    ///< mean likelihood
  double energy_j = 0;   ///< of all of them, expected
};

struct FirstRound {
  std::vector<RoundGroup> groups;                ///< by kind and power
  std::vector<std::pair<size_t, size_t>> asked;  ///< clients, each with its group
  double progress = 0;                           ///< expected: share of all samples
  double energy_j = 0;                           ///< expected, if all run to their end
  double gap_pct = 0;                            ///< below the most progress there is, at most
  bool exact = false;                            ///< there is no more
};

struct RoundsAnswer {
  RoundsQuestion question;
  std::vector<FleetKind> kinds;
  size_t clients = 0, available = 0;        ///< of all; in the first round
  double samples = 0;                       ///< of all
  std::optional<FirstRound> first{};        ///< nothing: no client can be asked
  std::vector<SimulatedRounds> strategies;  ///< none without a first round
  std::optional<Error> infeasible{};
  std::vector<std::string> notes;
};

/// `begins` is called before each strategy. Error: no clients.
Result<RoundsAnswer> ask_rounds(RoundsQuestion question, const Population& population,
                                const std::function<void(RoundStrategy)>& begins = {});

/// "32 of 478 clients are asked: …"; the first round in one sentence.
std::string round_sentence(const RoundsAnswer& answer);
/// "80 % after 31 rounds, …; random needs 2.1 times as many": of the strategies.
std::string rounds_sentence(const RoundsAnswer& answer);

Json to_json(const RoundsAnswer& answer);

}  // namespace flyball
