// Simulated time with the planner that plans live: what is not profiled is not known to it.
#pragma once

#include "schedule/planning/serving_planner.h"

namespace flyball {

/// What is true of a simulated board, and what a planner knows of it at first.
struct PlannedSimulation {
  ServingProblem truth;
  Readings known;                ///< NaN: not profiled
  std::vector<size_t> choice{};  ///< that it begins at
  std::vector<double> rates_hz;
  ServingPlannerOptions options{};
};

/// Runs `simulation`, which is one of `truth`, with a planner that looks on as it does live; what
/// it measured stands in the result.
ServingResult simulate_planned(Simulation simulation, const PlannedSimulation& planned);

}  // namespace flyball
