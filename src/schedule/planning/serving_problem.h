// From a problem over tables to jobs that a simulation can run.
#pragma once

#include "problem/exact.h"
#include "schedule/simulation.h"

namespace flyball {

/// Percentiles of requests in time that may be asked for.
inline constexpr double least_percentile = 50, usual_percentile = 99, most_percentile = 99.99;

/// A problem with the readings that its choices are judged by.
struct ServingProblem {
  const Problem* problem = nullptr;
  const Readings* readings = nullptr;
  QueueRules queue{};  ///< of each service, where they are executed

  /// The jobs of a choice in its mode. Batches between the listed sizes take what lies on a
  /// straight line between them, those below the smallest as long as that.
  RunningPlan plan(std::span<const size_t> choice) const;
  /// Rules of its services and trainings, in the order of its roles.
  Simulation simulation(std::span<const size_t> choice) const;
  /// The role of the first service: the one whose rate the planners change.
  size_t serving_role() const { return problem->roles.front().serves() ? 0 : 1; }
  /// What the board draws at most while it serves a choice, W: a batch that is cut short by its
  /// deadline is a smaller one, so of a service the largest of all known sizes up to its own. NaN:
  /// a role's power is not known.
  double power_w(std::span<const size_t> choice) const;
  /// Training minibatches per second that the problem's equations give the choice; 0 without one.
  double planned_trainings(std::span<const size_t> choice) const;
};

}  // namespace flyball
