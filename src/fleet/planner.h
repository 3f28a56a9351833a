// Plans of a fleet for one objective under limits. Kinds come in the order of their names, so that
// the order in which they were given decides nothing.
#pragma once

#include <optional>

#include "fleet/choose.h"

namespace flyball {

struct FleetSolution {
  std::optional<FleetPlan> plan{};
  double bound = 0;
  bool exact = false;
};

/// The least of the objective; without a plan where no plan keeps the limits, or none was found.
FleetSolution plan_fleet(const FleetQuestion& question, const std::vector<FleetKind>& kinds,
                         FleetObjective objective, const FleetLimits& limits);

/// The objective of a plan: J, s or W.
double objective_of(const FleetPlan& plan, FleetObjective objective);

// Its two halves, each in a file of its name.
FleetSolution plan_shared_work(const FleetQuestion& question, const std::vector<FleetKind>& kinds,
                               FleetObjective objective, const FleetLimits& limits);
FleetSolution plan_equal_work(const FleetQuestion& question, const std::vector<FleetKind>& kinds,
                              FleetObjective objective, const FleetLimits& limits);

/// Samples a second in a mode.
double samples_per_s(const FleetQuestion& question, const FleetMode& mode);
/// 0 where it is not known.
inline double idle_of(const FleetKind& kind) {
  return kind.idle_w.value_or(0);
}

}  // namespace flyball
