// What is chosen before serving begins: mode, batch, the training's settings, and what training is
// to expect, among what was profiled.
#pragma once

#include <span>

#include "base/json_fwd.h"
#include "device/device.h"
#include "schedule/planning/arrival_plan.h"
#include "tune/request.h"

namespace flyball {

struct ServingRequest {
  Request plan;  ///< limits, what a switch takes, seed, `cancelled`; its rates are the arrivals'
  std::vector<ArrivalSpec> arrivals;     ///< of each service
  double percentile = usual_percentile;  ///< of the requests that are to be answered in time
  QueueRules queue{};
};

/// A choice among what was profiled, with all that was to be chosen from.
struct ServingPlan {
  SharedBoard shared;  ///< of tables, or simulated
  Problem problem;
  Readings readings;
  SimulatedChoice choice;
  QueueRules queue{};

  ServingProblem live() const { return {&problem, &readings, queue}; }
  /// Its settings, by role.
  Json json() const;
  PowerMode mode() const;
  /// What the training is to run with; empty where none is planned.
  Settings training_settings() const;
};

/// One training beside one service, or one or two services.
bool can_plan_serving(size_t trainings, size_t services);
inline constexpr const char* planned_roles =
    "plans are for one training beside one service, or for one or two services";

/// Plans for the rates that the arrivals begin with, by simulating the scheduler; requests that are
/// not clockwork come at random, and where nobody knows how many, one in each latency budget of
/// its service.
/// `known`: tables of what is profiled, one for each role; empty: all of the board is. Errors:
/// nothing keeps the limits; roles of another number; a service without arrivals or latency.
Result<ServingPlan> plan_serving(SharedBoard shared, const ServingRequest& request,
                                 std::span<const WorkloadTable> known = {});

/// What stands before a plan is made.
struct ServingBounds {
  Settings training{};            ///< settings of its run that the user named
  const Device* knobs = nullptr;  ///< null: no mode can be set
  bool unknown_modes = false;     ///< may modes be planned later of which nothing is known now?
  Settings all{};                 ///< of every role's mode, which nobody can set here
};

/// The same with these profiles, one table for each role. What networks run with cannot change
/// while they run, nor can the axes of this process alone (AxisState::own): of the plan's
/// readings those that have its own settings there are left.
Result<ServingPlan> plan_profiled(std::span<const WorkloadTable> profiles,
                                  const ServingRequest& request, const ServingBounds& bounds);

/// Is there anything to set but this process' own cores?
bool sets_modes(const Device* knobs);

}  // namespace flyball
