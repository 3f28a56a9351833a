// Rounds of federated training, simulated one after the other until enough data has taken part.
// Times and energies are those of modes; no model is trained: progress is a proxy.
#pragma once

#include <cstdint>
#include <vector>

#include "fleet/rounds/round_strategy.h"

namespace flyball {

/// A client's update that arrives in time brings it by this share nearer to what its data can
/// give: after c of them its progress is 1 − (1 − gain)^c. All progress is the mean over samples.
struct ProgressProxy {
  double gain = 0.5;
  double target = 0.8;
  size_t most_rounds = 200;
};

/// What became of one round.
struct RoundOutcome {
  size_t invited = 0, arrived = 0, late = 0, dropped = 0;
  double time_s = 0;    ///< until the last one has answered, or the deadline
  double energy_j = 0;  ///< of all that were asked
  double wasted_j = 0;  ///< of it, of those that were late or gone
};

struct SimulatedRounds {
  RoundStrategy strategy = RoundStrategy::progress;
  size_t rounds = 0;
  bool reached = false;     ///< the target
  double progress = 0;      ///< 0 to 1
  double covered = 0;       ///< share of the samples that took part at least once
  double fairness = 0;      ///< Jain's index of the updates of clients that are ever available
  double most_gap_pct = 0;  ///< of a round's choice
  RoundOutcome sum{};
};

/// Samples that a client's next update adds; 0 where it is not available in this round.
std::vector<double> round_gains(const Population& population, const ProgressProxy& proxy,
                                std::span<const double> missing, uint64_t seed, size_t round);

/// `missing`: the share of each client's progress that is still to come, which updates make less.
RoundOutcome play_round(const RoundSetting& setting, const ProgressProxy& proxy,
                        const RoundChoice& choice, uint64_t seed, size_t round,
                        std::vector<double>& missing, std::vector<uint32_t>& updates);

/// (Σx)² / (n Σx²): 1 where all are equal, 1/n where one has everything; 0 for none.
double jain_index(std::span<const double> shares);

/// The same clients are available, late and gone whatever the strategy.
SimulatedRounds simulate_rounds(const RoundSetting& setting, const ProgressProxy& proxy,
                                RoundStrategy strategy, uint64_t seed);

}  // namespace flyball
