// What serving sooner costs in training: one choice, run with batches that wait for more and more
// requests.
#pragma once

#include "schedule/planning/serving_problem.h"

namespace flyball {

struct PreferencePoint {
  int64_t gathers = 0;  ///< requests that a batch waits for; 0: until the latest safe time
  double median_ms = 0, high_ms = 0;  ///< latency; at the percentile, as latency_at() has it
  double late_share = 0, trainings_per_s = 0, mean_batch = 0;
  bool chosen = false;  ///< what the preference comes to (its `gathers` is that at the end)
};

struct PreferenceFrontOptions {
  double percentile = usual_percentile;
  double requests = 6000;  ///< of the slowest service, about
  uint64_t seed = 1;
};

/// Of the last service, the soonest answers first: those that keep the percentile and that nothing
/// beats in both median latency and training, and what is chosen. Empty without a training.
std::vector<PreferencePoint> preference_front(const ServingProblem& live,
                                              std::span<const size_t> choice,
                                              const std::vector<ArrivalSpec>& arrivals,
                                              const PreferenceFrontOptions& options);

}  // namespace flyball
