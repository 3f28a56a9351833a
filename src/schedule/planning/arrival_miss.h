// By how much the best choice misses, where no choice answers requests as they come within the
// limits.
#pragma once

#include "answers/infeasible.h"
#include "schedule/planning/arrival_plan.h"

namespace flyball {

/// Why plan(power_w) found nothing: the power that it takes, else the nearest choice, else the time
/// that the requests take. What is advised is the least of each limit alone (where no service's
/// latency alone does, of all), of the percentile and of each rate, else of several together, that
/// did in simulation, of these very requests; text and remedies say the same. Simulates more
/// choices than plan() did.
Refusal no_arrival_plan(ArrivalPlanner& planner, const Problem& problem, double percentile,
                        double power_w);

}  // namespace flyball
