// By how much the best choice misses, where no choice answers requests as they come within the
// limits.
#pragma once

#include "base/status.h"
#include "schedule/planning/arrival_plan.h"

namespace flyball {

/// Why plan(power_w) found nothing, with the figure that is missing: the power that would do, else
/// the latency, else the time that the requests take. Simulates more choices than plan() did.
Error no_arrival_plan(ArrivalPlanner& planner, const Problem& problem, double percentile,
                      double power_w);

}  // namespace flyball
