// What `flyball serve` chooses before it serves: mode, batch and what training is to expect.
#pragma once

#include <optional>

#include "cli/serving/serving.h"
#include "device/device.h"
#include "device/registry/board.h"
#include "schedule/planning/arrival_plan.h"

namespace flyball::cli {

/// The rate that a source begins with, in requests/s; 0 where nobody knows it.
double first_rate(const ArrivalSpec& spec);

/// A choice among what was profiled, with all that was to be chosen from.
struct ServingPlan {
  SharedBoard shared;  ///< of tables, or simulated
  Problem problem;
  Readings readings;
  SimulatedChoice choice;

  LiveProblem live() const { return {&problem, &readings}; }
  /// Its settings, by role.
  nlohmann::ordered_json json() const;
  PowerMode mode() const;
};

/// Plans for the sources' first rates by simulating the scheduler. `known`: tables of what is
/// profiled, one for each role; empty: all of the board is. Errors: nothing keeps the limits; more
/// roles than one training beside one service, or two services.
Result<ServingPlan> plan_serving(SharedBoard shared, ServeOptions& options,
                                 std::span<const WorkloadTable> known = {});

/// Of --profiles, one for each role of the board; empty where none are named.
Result<std::vector<WorkloadTable>> tables_of_profiles(const ServeOptions& options,
                                                      const SharedBoard& shared);

/// What --measure needs of a plan: modes that nobody profiled, and a switch that a gap can hold.
Status check_measure(const ServeOptions& options, const ServingPlan& plan, double switch_ms);

/// The same for networks that are served live, from --profiles' tables or the store's measurements
/// of this board. Nothing where there are none, or where a rate is not known; `notes` says which.
/// Takes over its loader's workers and batch of training, where the user named none.
Result<std::optional<ServingPlan>> plan_live(ServeOptions& options, const BoardInfo& board,
                                             const Device* knobs, std::vector<std::string>& notes);

}  // namespace flyball::cli
