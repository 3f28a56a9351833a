// Several readings of one configuration as one figure with its 90 % interval.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "answers/tune_result.h"
#include "base/json_fwd.h"
#include "store/stored_trials.h"

namespace flyball {

/// The readings of one configuration (none of them failed), pooled as in space/estimate.h. The
/// interval of a time holds its fastest reading: what disturbs makes a trial slower.
Configuration pooled(std::span<const Measurement* const> readings);

/// The readings of one configuration on several boards, each of which counts once (of_boards() of
/// space/estimate.h), by what it read itself.
Configuration of_owners(const std::map<TrialOwner, std::vector<const Measurement*>>& boards);

/// [low, high]; null where they are not known.
Json interval_json(double low, double high);
/// `minibatch_ms_90` and `power_w_90` of one trial alone; null where it failed or tells no spread.
Json trial_intervals(const Measurement& measurement);
/// `config` with its figures: `minibatch_ms`, `minibatch_ms_90`, `power_w`, `power_w_90`,
/// `provenance`.
Json known_json(const Settings& config, const Configuration& known);

}  // namespace flyball
