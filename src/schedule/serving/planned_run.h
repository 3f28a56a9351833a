// What runs by a plan have in common, whoever computes: the plan's mode is set, the power budget is
// one that can be kept, and a planner watches.
#pragma once

#include <memory>
#include <optional>

#include "schedule/held_mode.h"
#include "schedule/planning/serving_planner.h"
#include "schedule/serving/serving_profiles.h"

namespace flyball {

/// A run as its planner looks at it and changes it. What it names outlives the planner.
struct PlannedRun {
  HeldMode* held = nullptr;  ///< null: modes stay as they are
  double switch_ms = 0;
  std::optional<int64_t> began_ns{};
  ServingChoice planned{};  ///< but for `set_mode` and `mode_stands`, which are the held one's
};

/// Sets the mode of a plan, and says how long that took, in ms.
Result<double> set_planned_mode(const ServingPlan& plan, HeldMode& held);
/// Error: there is a budget, and no power is read.
Status check_power_budget(double budget_w, const Board& board);
/// Watches from here on.
std::unique_ptr<ServingPlanner> start_planner(const ServeRequest& request, const ServingPlan& plan,
                                              PlannedRun run);

}  // namespace flyball
