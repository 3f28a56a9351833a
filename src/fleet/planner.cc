#include "fleet/planner.h"

namespace flyball {

FleetSolution plan_fleet(const FleetQuestion& question, const std::vector<FleetKind>& kinds,
                         FleetObjective objective, const FleetLimits& limits) {
  return question.each ? plan_equal_work(question, kinds, objective, limits)
                       : plan_shared_work(question, kinds, objective, limits);
}

double objective_of(const FleetPlan& plan, FleetObjective objective) {
  switch (objective) {
    case FleetObjective::energy:
      return plan.energy_j;
    case FleetObjective::time:
      return plan.time_s;
    case FleetObjective::power:
      return plan.power_w;
  }
  return 0;
}

double samples_per_s(const FleetQuestion& question, const FleetMode& mode) {
  return question.training.batch_size * 1e3 / mode.minibatch_ms;
}

}  // namespace flyball
