// What runs by a plan have in common, whoever computes: the plan's mode is set, the power budget is
// one that can be kept, and a planner watches.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "schedule/planning/serving_planner.h"
#include "schedule/serving/serving_profiles.h"

namespace flyball {

/// A run as its planner looks at it and changes it. What it names outlives the planner.
struct PlannedRun {
  Device* knobs = nullptr;  ///< null: modes stay as they are
  double switch_ms = 0;
  std::optional<int64_t> began_ns{};
  ServingChoice planned{};  ///< but for `set_mode`, which the knobs are
  /// Called when a mode has been set, with it in words; may be empty.
  std::function<void(const std::string& mode)> mode_is_set{};
};

/// Sets the mode of a plan, and says how long that took, in ms.
Result<double> set_planned_mode(const ServingPlan& plan, Device& knobs);
/// Error: there is a budget, and no power is read.
Status check_power_budget(double budget_w, const Board& board);
/// Watches from here on.
std::unique_ptr<ServingPlanner> start_planner(const ServeRequest& request, const ServingPlan& plan,
                                              PlannedRun run);

}  // namespace flyball
