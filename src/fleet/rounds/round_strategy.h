// Ways to decide who takes part in a round: the one of `fleet rounds`, and what it is compared
// with.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "fleet/rounds/round.h"

namespace flyball {

enum class RoundStrategy { progress, maxn, random_modes, random, fastest };
inline constexpr std::array round_strategies = {RoundStrategy::progress, RoundStrategy::maxn,
                                                RoundStrategy::random_modes, RoundStrategy::random,
                                                RoundStrategy::fastest};
const char* round_strategy_name(RoundStrategy strategy);
const char* round_strategy_summary(RoundStrategy strategy);

/// All keep the energy budget and the number of clients. `gains`: as choose_round() has them.
/// `random`, `fastest`: clients in this order, in MAXN, each that still fits; `fastest` takes only
/// those that are expected to be done by the deadline. `random_modes`: each in its mode of least
/// energy that is likely to be on time. `maxn`: the most progress with MAXN alone.
RoundChoice decide_round(RoundStrategy strategy, const RoundSetting& setting,
                         std::span<const double> gains, uint64_t seed);

}  // namespace flyball
