// A new plan where the arrival rate has changed, from the profiles there are.
#pragma once

#include <map>

#include "schedule/arrival_plan.h"
#include "schedule/rate_watch.h"

namespace flyball {

struct ReplanOptions {
  double percentile = 99;
  double margin = 1.03;    ///< planned for this times the rate that was seen
  double horizon_s = 120;  ///< a new rate is taken to last so long: is a change of mode worth it?
  double requests = 3000;  ///< simulated for each choice
  RateWatchOptions watch{};
  uint64_t seed = 1;
};

/// Watches one service's arrivals. A change of the rate makes a new plan by simulation; the mode
/// changes only where what is gained over the horizon is more than the switch loses, or where the
/// present mode cannot keep the budget.
class Replanner {
 public:
  Replanner(LiveProblem live, ReplanOptions options);

  /// The plan for a rate; nothing where no choice keeps the limits.
  std::optional<SimulatedChoice> plan_for(double rate_hz);
  /// Begins at a rate, now.
  void begin(double rate_hz, std::vector<size_t> choice, int64_t now_ns = 0);
  double rate_hz() const { return watch_.rate_hz(); }
  void arrived(int64_t now_ns) { watch_.arrived(now_ns); }
  /// The plan for a rate that is told, where it is another one and worth its switch.
  std::optional<PlanChange> change_to(double rate_hz, std::string why);
  /// A new plan where one is due.
  std::optional<PlanChange> look(int64_t now_ns);
  const std::vector<size_t>& choice() const { return choice_; }

 private:
  ArrivalPlanner& planner(double rate_hz);
  bool worth_it(const SimulatedChoice& present, const SimulatedChoice& next) const;

  LiveProblem live_;
  ReplanOptions options_;
  RateWatch watch_;
  std::map<int, ArrivalPlanner> planners_;  ///< by rate, in steps of 2 %
  std::vector<size_t> choice_;
};

}  // namespace flyball
