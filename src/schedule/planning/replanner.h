// A new plan where an arrival rate has changed, from the profiles there are.
#pragma once

#include <map>

#include "schedule/planning/arrival_plan.h"
#include "schedule/planning/rate_watch.h"

namespace flyball {

struct ReplanOptions {
  double percentile = usual_percentile;
  double margin = 1.03;    ///< planned for this times the rate that was seen
  double horizon_s = 120;  ///< a new rate is taken to last so long: is a change of mode worth it?
  double requests = 3000;  ///< simulated for each choice
  RateWatchOptions watch{};
  uint64_t seed = 1;
  std::function<bool(std::span<const size_t> choice)> allowed{};  ///< as ArrivalPlanOptions has it
  const std::atomic<bool>* stop = nullptr;                        ///< likewise
};

/// Watches the arrivals of each service. A change of a rate makes a new plan by simulation; the
/// mode changes only where what is gained over the horizon is more than the switch loses, or where
/// the present mode cannot keep the budget.
class Replanner {
 public:
  Replanner(ServingProblem live, ReplanOptions options);

  /// The plan for these rates, one of each service; nothing where no choice keeps the limits.
  std::optional<SimulatedChoice> plan_for(const std::vector<double>& rates_hz);
  /// What the present choice comes to at these rates.
  SimulatedChoice present(std::span<const double> rates_hz) {
    return planner(rates_hz).simulated(choice_);
  }
  /// Begins at these rates, now.
  void begin(std::span<const double> rates_hz, std::vector<size_t> choice, int64_t now_ns = 0);
  std::vector<double> rates_hz() const;
  void arrived(size_t service, int64_t now_ns) { watches_[service].arrived(now_ns); }
  /// The plan for rates that are told, where it is another one and worth its switch.
  std::optional<PlanChange> change_to(const std::vector<double>& rates_hz, std::string why);
  /// The same, or, where no choice keeps the limits, the present one once more, which says so.
  std::optional<PlanChange> plan_again(const std::vector<double>& rates_hz, std::string why);
  static constexpr const char* nothing_keeps =
      ", and nothing that was profiled keeps the limits: it stays as it is";
  /// Has a rate changed since the last time? What has, in words.
  std::optional<std::string> rates_changed(int64_t now_ns);
  /// A new plan where one is due: plan_again().
  std::optional<PlanChange> look(int64_t now_ns);
  const std::vector<size_t>& choice() const { return choice_; }
  /// Somebody else has chosen.
  void take(std::vector<size_t> choice) { choice_ = std::move(choice); }
  /// Readings have changed: what was simulated with the former ones holds no longer.
  void forget_plans() { planners_.clear(); }
  /// The choice as a change of plan.
  PlanChange change_of(const SimulatedChoice& choice, std::span<const double> rates_hz,
                       std::string why) const;

 private:
  ArrivalPlanner& planner(std::span<const double> rates_hz);
  bool worth_it(const SimulatedChoice& present, const SimulatedChoice& next) const;

  ServingProblem live_;
  ReplanOptions options_;
  std::vector<RateWatch> watches_;                       ///< of each service
  std::map<std::vector<int>, ArrivalPlanner> planners_;  ///< by rates, in steps of 2 %
  std::vector<size_t> choice_;
};

}  // namespace flyball
