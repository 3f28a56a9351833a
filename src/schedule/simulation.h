// Serving and training in turns in simulated time: the scheduler that runs live, with minibatches
// that take what a table or a twin says.
#pragma once

#include <atomic>
#include <functional>
#include <optional>

#include "schedule/arrivals.h"
#include "schedule/execution.h"

namespace flyball {

struct Simulation {
  std::vector<ServiceRules> services;
  std::vector<TrainingRules> trainings;
  std::vector<ArrivalSource*> arrivals;  ///< of each service
  RunningPlan plan;
  double seconds = 60;  ///< then what was accepted is still answered
  double jitter = 0;    ///< relative standard deviation of a minibatch (log-normal, mean 1)
  double switch_s = 0;  ///< that changing the mode takes
  uint64_t seed = 1;
  DurationOptions durations{};
  Preference preference{};
  /// Called with each arrival of a service.
  std::function<void(size_t service, int64_t now_ns)> arrived{};
  /// Called before each decision with what has come so far; empty: the plan stays. A change whose
  /// switch still waits is replaced by the next one.
  std::function<std::optional<PlanChange>(int64_t now_ns, const ServingResult& so_far)> replan{};
  /// Called with everything that ran; empty: nobody looks.
  std::function<void(const Decision& what, int64_t begin_ns, int64_t end_ns)> ran{};
  /// Asked before each decision: ends it at once where it says so; empty: never.
  std::function<bool(const ServingResult& so_far)> give_up{};
  /// Gets everything; null: nobody looks.
  ServingTimeline* timeline = nullptr;
  const std::atomic<bool>* stop = nullptr;  ///< ends it at once; may be null
};

ServingResult simulate(Simulation simulation);

}  // namespace flyball
