// Plans anew while it serves, beside the thread that computes: where the rate of the arrivals has
// changed, where minibatches take longer than was profiled, where more power is drawn than may be.
#pragma once

#include <condition_variable>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "schedule/live_serving.h"
#include "schedule/replanner.h"

namespace flyball {

/// What a planner looks at and acts on; all of it outlives the planner, and is thread-safe.
struct LivePlanned {
  std::function<LiveDurations()> durations;  ///< what minibatches take at present
  std::function<double()> power_w;           ///< at present; NaN: not known
  std::function<void(LiveChange)> change;    ///< hands a new plan over
  /// Sets a mode of the candidates, in the thread that serves; empty: modes stay as they are.
  std::function<Status(size_t mode)> set_mode{};
};

struct LivePlannerOptions {
  ReplanOptions replan{};
  double look_s = 0.1;  ///< how often it looks at arrivals …
  double drift_s = 10;  ///< … and at durations and power
  double drift = 1.2;   ///< a ratio to what the plan expects, up or down, that makes a new one
  double power_slack = 1.03;   ///< power above this times the budget does, too
  bool mode_is_set = true;     ///< the board is in the mode of the choice that it begins at
  size_t first_arrivals = 64;  ///< from which a rate that nobody told is known
};

class LivePlanner {
 public:
  /// `readings` are those of all candidates of the problem (NaN: not profiled), whose service's
  /// arrivals are watched. Begins at the choice that is being executed; `rate_hz` 0: not known yet.
  LivePlanner(Problem problem, Readings readings, std::vector<size_t> choice, double rate_hz,
              LivePlanned planned, LivePlannerOptions options = {});
  ~LivePlanner();
  LivePlanner(const LivePlanner&) = delete;
  LivePlanner& operator=(const LivePlanner&) = delete;

  /// From any thread, with each arrival.
  void arrived(int64_t now_ns);
  /// One look; the thread of the planner calls it. For tests, with `run` false, somebody else.
  void look(int64_t now_ns);
  /// Starts the thread.
  void start();

 private:
  void watch_arrivals(int64_t now_ns);
  void learn_rate(int64_t now_ns);
  bool drifted(std::string& why);
  bool beyond_budget(std::string& why);
  void plan_again(double rate_hz, std::string why);
  void hand_over(PlanChange change);
  LiveProblem live() const { return {&problem_, &readings_}; }

  Problem problem_;
  Readings readings_;
  LivePlanned planned_;
  LivePlannerOptions options_;
  Replanner replanner_;
  std::vector<size_t> choice_;
  double rate_hz_;
  std::vector<int64_t> first_;  ///< arrivals while the rate is not known
  int64_t next_drift_ns_ = 0;

  std::mutex mutex_;
  std::condition_variable ended_;
  std::vector<int64_t> arrivals_;  ///< since the last look
  bool end_ = false;
  std::thread thread_;
};

}  // namespace flyball
