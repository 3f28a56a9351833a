#include "fleet/rounds/round_strategy.h"

#include <algorithm>
#include <vector>

#include "base/random.h"

namespace flyball {
namespace {

constexpr double likely_on_time = 0.95;

/// A client with its place in the order in which they are asked.
struct Candidate {
  double place = 0;
  size_t client = 0;
  const RoundMode* mode = nullptr;

  bool operator<(const Candidate& other) const {
    return place != other.place ? place < other.place : client < other.client;
  }
};

RoundChoice take_in_order(const RoundSetting& setting, std::span<const double> gains,
                          std::vector<Candidate> candidates) {
  std::ranges::sort(candidates, std::less<>());
  const RoundRules& rules = setting.rules();
  RoundChoice choice;
  for (const Candidate& one : candidates) {
    if (rules.count && choice.invited.size() >= *rules.count) break;
    const Invitation invited = setting.invitation(one.client, *one.mode);
    if (rules.energy_j && choice.energy_j + invited.energy_j > *rules.energy_j) continue;
    choice.energy_j += invited.energy_j;
    choice.progress += gains[one.client] * invited.on_time *
                       (1 - setting.population().clients[one.client].dropout);
    choice.invited.push_back(invited);
  }
  std::ranges::sort(choice.invited, {}, &Invitation::client);
  choice.bound = choice.progress;
  return choice;
}

const RoundMode* thriftiest_likely(const RoundSetting& setting, const RoundClient& client) {
  for (const RoundMode& mode : setting.modes_of(client).modes)
    if (setting.on_time(client, mode) >= likely_on_time) return &mode;
  return nullptr;
}

double random_place(uint64_t seed, size_t client) {
  return static_cast<double>(mix_seed(seed, client) >> 11);
}

/// The mode in which a strategy would ask a client; nothing where it would not.
const RoundMode* mode_asked(RoundStrategy strategy, const RoundSetting& setting,
                            const RoundClient& client) {
  if (strategy == RoundStrategy::random_modes) return thriftiest_likely(setting, client);
  const RoundMode& maxn = setting.modes_of(client).maxn;
  if (strategy == RoundStrategy::fastest &&
      setting.time_s(client, maxn) > setting.rules().deadline_s)
    return nullptr;
  return &maxn;
}

}  // namespace

const char* round_strategy_name(RoundStrategy strategy) {
  switch (strategy) {
    case RoundStrategy::progress:
      return "progress";
    case RoundStrategy::maxn:
      return "maxn";
    case RoundStrategy::random_modes:
      return "random-modes";
    case RoundStrategy::random:
      return "random";
    case RoundStrategy::fastest:
      return "fastest";
  }
  return "";
}

const char* round_strategy_summary(RoundStrategy strategy) {
  switch (strategy) {
    case RoundStrategy::progress:
      return "clients and modes of the most expected progress";
    case RoundStrategy::maxn:
      return "clients of the most expected progress, all in MAXN";
    case RoundStrategy::random_modes:
      return "clients by chance, each in its thriftiest mode that is likely to be on time";
    case RoundStrategy::random:
      return "clients by chance, all in MAXN";
    case RoundStrategy::fastest:
      return "the clients that are done first, all in MAXN";
  }
  return "";
}

RoundChoice decide_round(RoundStrategy strategy, const RoundSetting& setting,
                         std::span<const double> gains, uint64_t seed) {
  if (strategy == RoundStrategy::progress) return choose_round(setting, gains);
  if (strategy == RoundStrategy::maxn) return choose_round(setting, gains, ModesAllowed::maxn);
  const std::vector<RoundClient>& clients = setting.population().clients;
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < clients.size(); ++i) {
    if (!(gains[i] > 0)) continue;
    const RoundMode* mode = mode_asked(strategy, setting, clients[i]);
    if (!mode) continue;
    const double place = strategy == RoundStrategy::fastest ? setting.time_s(clients[i], *mode)
                                                            : random_place(seed, i);
    candidates.push_back({place, i, mode});
  }
  return take_in_order(setting, gains, std::move(candidates));
}

}  // namespace flyball
