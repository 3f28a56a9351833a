#include "fleet/rounds/simulate_rounds.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace flyball {
namespace {

enum RoundStream : uint64_t { availability = 1, chance = 2, order = 3 };

uint64_t seed_of_round(uint64_t seed, RoundStream stream, size_t round) {
  return mix_seed(mix_seed(seed, stream), round);
}

double unit_number(uint64_t seed, size_t client) {
  return static_cast<double>(mix_seed(seed, client) >> 11) * 0x1.0p-53;
}

struct Answered {
  bool gone = false, late = false;
  double time_s = 0, energy_j = 0;
};

Answered answer_of(const RoundSetting& setting, const Invitation& one, uint64_t seed) {
  const RoundClient& client = setting.population().clients[one.client];
  const double deadline_s = setting.rules().deadline_s, spread = setting.rules().straggling;
  Random random(mix_seed(seed, one.client));
  if (random.uniform() < client.dropout)
    return {true, false, deadline_s, random.uniform() * one.energy_j};
  const double slower = std::exp(spread * random.normal() - spread * spread / 2);
  const double run_s = setting.work(client) * one.mode->step_s * slower;
  const double time_s = client.transfer_s + run_s;
  const bool late = time_s > deadline_s * (1 + 1e-12);
  const double ran_s = late ? std::max(0.0, deadline_s - client.transfer_s) : run_s;
  const double idle_w = setting.modes_of(client).idle_w;
  return {false, late, std::min(time_s, deadline_s),
          one.mode->mode.power_w * ran_s + idle_w * std::min(client.transfer_s, deadline_s)};
}

void add_outcome(RoundOutcome& sum, const RoundOutcome& one) {
  sum.invited += one.invited;
  sum.arrived += one.arrived;
  sum.late += one.late;
  sum.dropped += one.dropped;
  sum.time_s += one.time_s;
  sum.energy_j += one.energy_j;
  sum.wasted_j += one.wasted_j;
}

/// Over samples: the mean of what `of` says of each client.
template <class Of>
double over_samples(const Population& population, Of of) {
  double sum = 0, all = 0;
  for (size_t i = 0; i < population.clients.size(); ++i) {
    all += population.clients[i].samples;
    sum += population.clients[i].samples * of(i);
  }
  return all > 0 ? sum / all : 0;
}

double fairness_of(const Population& population, const std::vector<uint32_t>& updates) {
  std::vector<double> shares;
  for (size_t i = 0; i < updates.size(); ++i)
    if (population.clients[i].available > 0) shares.push_back(updates[i]);
  return jain_index(shares);
}

}  // namespace

std::vector<double> round_gains(const Population& population, const ProgressProxy& proxy,
                                std::span<const double> missing, uint64_t seed, size_t round) {
  const uint64_t of_round = seed_of_round(seed, availability, round);
  std::vector<double> gains(population.clients.size(), 0);
  for (size_t i = 0; i < gains.size(); ++i)
    if (unit_number(of_round, i) < population.clients[i].available)
      gains[i] = population.clients[i].samples * missing[i] * proxy.gain;
  return gains;
}

RoundOutcome play_round(const RoundSetting& setting, const ProgressProxy& proxy,
                        const RoundChoice& choice, uint64_t seed, size_t round,
                        std::vector<double>& missing, std::vector<uint32_t>& updates) {
  const uint64_t of_round = seed_of_round(seed, chance, round);
  RoundOutcome outcome;
  outcome.invited = choice.invited.size();
  for (const Invitation& one : choice.invited) {
    const Answered answered = answer_of(setting, one, of_round);
    outcome.time_s = std::max(outcome.time_s, answered.time_s);
    outcome.energy_j += answered.energy_j;
    if (answered.gone || answered.late) {
      ++(answered.gone ? outcome.dropped : outcome.late);
      outcome.wasted_j += answered.energy_j;
      continue;
    }
    ++outcome.arrived;
    ++updates[one.client];
    missing[one.client] *= 1 - proxy.gain;
  }
  if (choice.invited.empty()) outcome.time_s = setting.rules().deadline_s;
  return outcome;
}

double jain_index(std::span<const double> shares) {
  double sum = 0, squares = 0;
  for (const double share : shares) {
    sum += share;
    squares += share * share;
  }
  return squares > 0 ? sum * sum / (static_cast<double>(shares.size()) * squares) : 0;
}

SimulatedRounds simulate_rounds(const RoundSetting& setting, const ProgressProxy& proxy,
                                RoundStrategy strategy, uint64_t seed) {
  const Population& population = setting.population();
  std::vector<double> missing(population.clients.size(), 1);
  std::vector<uint32_t> updates(population.clients.size(), 0);
  SimulatedRounds done{strategy};
  while (done.rounds < proxy.most_rounds && !done.reached) {
    const auto gains = round_gains(population, proxy, missing, seed, done.rounds);
    const RoundChoice choice =
        decide_round(strategy, setting, gains, seed_of_round(seed, order, done.rounds));
    done.most_gap_pct = std::max(done.most_gap_pct, choice.gap_pct());
    add_outcome(done.sum, play_round(setting, proxy, choice, seed, done.rounds, missing, updates));
    ++done.rounds;
    done.progress = 1 - over_samples(population, [&](size_t i) { return missing[i]; });
    done.reached = done.progress >= proxy.target;
  }
  done.covered = over_samples(population, [&](size_t i) { return updates[i] > 0 ? 1.0 : 0.0; });
  done.fairness = fairness_of(population, updates);
  return done;
}

}  // namespace flyball
