// Serving and training in turns in simulated time: the scheduler that runs live, with minibatches
// that take what a table or a twin says.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "schedule/arrivals.h"
#include "schedule/live_result.h"
#include "schedule/live_timeline.h"

namespace flyball {

/// How one job runs in one mode.
struct JobCourse {
  DurationModel minibatch{};  ///< the truth: nothing is observed in it
  double power_w = 0;         ///< while it runs; NaN: not known
  /// What the scheduler is told beforehand, where that is not the truth; nothing known: the truth.
  DurationModel expected{};
};

/// All jobs in one mode with one plan.
struct LivePlan {
  size_t mode = 0;          ///< which one; two plans of one mode need no switch
  std::string mode_text{};  ///< the same in words
  std::vector<JobCourse> services, trainings;
  std::vector<int64_t> largest_batch;     ///< of each service
  std::vector<double> trainings_per_s{};  ///< planned, of each training; empty: none planned
  double idle_w = 0;                      ///< NaN: not known
};

/// What a simulation asks while it runs. A new plan whose mode differs takes a switch.
struct PlanChange {
  LivePlan plan;
  Replan why;
  bool only_in_gap = false;          ///< its switch waits for a gap that holds it, however long
  std::function<void()> followed{};  ///< called once it is followed, after the switch
};

struct Simulation {
  std::vector<ServiceRules> services;
  std::vector<TrainingRules> trainings;
  std::vector<ArrivalSource*> arrivals;  ///< of each service
  LivePlan plan;
  double seconds = 60;  ///< then what was accepted is still answered
  double jitter = 0;    ///< relative standard deviation of a minibatch (log-normal, mean 1)
  double switch_s = 0;  ///< that changing the mode takes
  uint64_t seed = 1;
  DurationOptions durations{};
  /// Called with each arrival of a service.
  std::function<void(size_t service, int64_t now_ns)> arrived{};
  /// Called before each decision with what has come so far; empty: the plan stays. A change whose
  /// switch still waits is replaced by the next one.
  std::function<std::optional<PlanChange>(int64_t now_ns, const LiveResult& so_far)> replan{};
  /// Called with everything that ran; empty: nobody looks.
  std::function<void(const Decision& what, int64_t begin_ns, int64_t end_ns)> ran{};
  /// Told of everything; null: nobody looks.
  LiveTimeline* timeline = nullptr;
  const std::atomic<bool>* stop = nullptr;  ///< ends it at once; may be null
};

LiveResult simulate(Simulation simulation);

}  // namespace flyball
