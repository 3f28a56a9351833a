// A mode for each window of a changing arrival rate, from as few profiles as the rates need.
#pragma once

#include "problem/dynamic.h"
#include "tune/planning.h"

namespace flyball {

struct DynamicAnswer {
  Problem problem;                 ///< of the highest rate
  DynamicPlan plan;                ///< when there is one
  size_t profiles = 0;             ///< of all rates together
  std::vector<std::string> notes;  ///< remarks of the searches and about the trials
};

/// Searches each distinct rate once, starting from what the rates before have profiled, then plans
/// the windows exactly over all profiles (problem/dynamic.h). Errors: as make_plan() and
/// plan_dynamic(); infeasible where a window is served by no profiled mode.
Result<DynamicAnswer> plan_windows(const SharedBoard& board, Store* store,
                                   const PlanRequest& request, std::span<const RateWindow> windows,
                                   const SessionListener& listener = {});

nlohmann::ordered_json to_json(const SharedBoard& board, const DynamicAnswer& answer);

}  // namespace flyball
