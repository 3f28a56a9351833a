// A mode for each window of a changing arrival rate, from as few profiles as the rates need.
#pragma once

#include "answers/dynamic_answer.h"
#include "tune/planning.h"

namespace flyball {

/// Searches each distinct rate once, starting from what the rates before have profiled, then plans
/// the windows exactly over all profiles (problem/dynamic.h). Errors: as make_plan() and
/// plan_dynamic(), but for a window that no profiled mode serves: that is an answer.
Result<DynamicAnswer> plan_windows(const SharedBoard& board, Store* store, const Request& request,
                                   std::span<const RateWindow> windows,
                                   const SessionListener& listener = {});

}  // namespace flyball
