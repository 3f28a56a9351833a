// By how much the best choice misses, where no choice answers requests as they come within the
// limits.
#pragma once

#include "answers/infeasible.h"
#include "schedule/planning/arrival_plan.h"

namespace flyball {

/// Why plan(power_w) found nothing, with the figure that is missing: the power that would do, else
/// the latency, else the time that the requests take. What is advised did in simulation, of these
/// very requests. Simulates more choices than plan() did.
Refusal no_arrival_plan(ArrivalPlanner& planner, const Problem& problem, double percentile,
                        double power_w);

}  // namespace flyball
