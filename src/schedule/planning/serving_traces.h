// Rates that change: executed by a scheduler that watches them, beside one that was told.
#pragma once

#include <vector>

#include "schedule/planning/serving_evaluation.h"

namespace flyball {

struct TraceSweep {
  std::shared_ptr<const Candidates> candidates;
  const Readings* readings = nullptr;
  std::vector<Role> roles;
  size_t traces = 20;
  double switch_s = 2, percentile = usual_percentile;
  uint64_t seed = 1;
  size_t threads = 0;
};

/// Traces of six windows of 5 to 20 minutes at 30 to 120 requests/s, each with a power and a
/// latency budget of the paper's ranges, drawn from the seed; traces that no mode serves are drawn
/// again.
std::vector<ServingTrace> evaluate_traces(const TraceSweep& sweep);

}  // namespace flyball
