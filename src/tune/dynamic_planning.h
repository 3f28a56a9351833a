// A mode for each window of a changing arrival rate, from as few profiles as the rates need.
#pragma once

#include "problem/dynamic.h"
#include "tune/planning.h"

namespace flyball {

struct DynamicAnswer {
  Problem problem;               ///< of the highest rate
  DynamicPlan plan;              ///< when there is one
  std::optional<Error> why_not;  ///< … else which window cannot be served
  std::vector<Advice> easing;    ///< … and what would do there, where that is known
  size_t profiles = 0;           ///< of all rates together
  Provenance provenance = Provenance::measured;  ///< of what was profiled
  std::vector<std::string> notes;                ///< remarks of the searches and about the trials
  std::optional<int64_t> run = {};               ///< its number in the store
};

/// Searches each distinct rate once, starting from what the rates before have profiled, then plans
/// the windows exactly over all profiles (problem/dynamic.h). Errors: as make_plan() and
/// plan_dynamic(), but for a window that no profiled mode serves: that is an answer.
Result<DynamicAnswer> plan_windows(const SharedBoard& board, Store* store,
                                   const PlanRequest& request, std::span<const RateWindow> windows,
                                   const SessionListener& listener = {});

nlohmann::ordered_json to_json(const SharedBoard& board, const DynamicAnswer& answer);

}  // namespace flyball
