#include "schedule/batch_plan.h"

#include <limits>

namespace flyball {

BatchPlan plan_batches(const RequestQueue& queue, uint64_t shape, int64_t most,
                       const DurationModel& duration, double begins_ns) {
  BatchPlan plan;
  plan.last_begins = plan.ends = {.typical_ns = begins_ns};
  double until_ns = 0;  // the batch may take
  for (const Waiting& request : queue.requests()) {
    if (request.shape != shape) continue;
    const int64_t together = plan.last + request.samples;
    if (plan.last > 0 && together <= most && duration.typical_ns(together) <= until_ns) {
      plan.last = together;
      continue;
    }
    if (plan.first == 0) plan.first = plan.last;
    if (plan.last > 0) plan.last_begins = plan.last_begins.then(duration, plan.last);
    plan.last = request.samples;
    plan.last_deadline_ns = request.deadline_ns;
    until_ns = static_cast<double>(request.deadline_ns) + grain_ns - plan.last_begins.typical_ns;
    if (duration.typical_ns(plan.last) > until_ns) {
      plan.in_time = false;
      until_ns = std::numeric_limits<double>::infinity();
    }
  }
  if (plan.first == 0) plan.first = plan.last;
  if (plan.last > 0) plan.ends = plan.last_begins.then(duration, plan.last);
  return plan;
}

}  // namespace flyball
