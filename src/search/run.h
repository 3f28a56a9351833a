// Drives a strategy to its answer against anything that can measure.
#pragma once

#include <functional>

#include "search/doubt.h"

namespace flyball {

/// What came of a trial: a reading, or why it failed.
struct TrialOutcome {
  Reading reading;
  std::string failure;
  bool set_aside = false;  ///< not tried at all, for `failure`: it costs no profile
};
/// Measures one trial. An Error (unlike a failed trial) ends the search with it.
using Measure = std::function<Result<TrialOutcome>(const Ask&)>;

/// Measures and tells one trial, and what `doubt` (null: the readings repeat exactly) then wants to
/// know again.
Status run_trial(Strategy& strategy, const Ask& asked, const Measure& measure, Doubt* doubt);

/// Asks, measures and tells until the strategy is done, each as run_trial() does.
Status run_trials(Strategy& strategy, const Measure& measure, Doubt* doubt = nullptr);

/// The same, then the answer.
Result<Answer> run_search(Strategy& strategy, const Measure& measure, Doubt* doubt = nullptr);

/// The same from readings of every candidate.
Result<Answer> run_search(Strategy& strategy, const Readings& readings);

}  // namespace flyball
