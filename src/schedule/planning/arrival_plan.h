// Plans for arrivals as they come: a choice is judged by running the very scheduler that serves.
#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schedule/planning/serving_problem.h"

namespace flyball {

struct ArrivalPlanOptions {
  double percentile = 99;  ///< of the requests that are to be answered within the budget
  double requests = 6000;  ///< simulated of each service for each choice …
  double least_s = 30;     ///< … over this time at least
  uint64_t seed = 1;
  /// May this choice be the plan? Asked last, of one that would be; empty: any may.
  std::function<bool(std::span<const size_t> choice)> allowed{};
  const std::atomic<bool>* stop = nullptr;  ///< once set, there is no plan any more; may be null
};

/// How one service fares.
struct SimulatedService {
  double late_share = 0;  ///< late or refused
  /// At the percentile of all that came, those refused included: above the budget where more are
  /// late or refused than may be; infinite where more are refused.
  double latency_ms = 0;
  double mean_batch = 0;  ///< requests
  /// The tightest budget that its choice keeps (ArrivalPlanner::tightest_ms); NaN: not asked for.
  double kept_ms = std::numeric_limits<double>::quiet_NaN();
};

/// What one choice came to in simulation.
struct SimulatedChoice {
  std::vector<size_t> choice{};
  double late_share = 1;       ///< late or refused, the worst service
  double trainings_per_s = 0;  ///< minibatches of all trainings together
  double trained_per_s = 0;    ///< the same as the problem counts them (Problem::counts)
  double latency_share = 0;    ///< latency at the percentile of its budget, the worst service
  double longest_ms = 0;       ///< the largest latency at the percentile of the services
  double p99_ms = 0, mean_batch = 0;  ///< of the last service; the latency at the percentile
  std::vector<SimulatedService> services{};
};

/// A choice that would do with more power than was allowed.
struct EnoughPower {
  std::vector<size_t> choice;
  double power_w = 0;
};

/// A choice that would do if one service were given more time, or all of them.
struct EnoughLatency {
  std::vector<size_t> choice{};
  std::optional<size_t> role{};  ///< whose budget is eased; nothing: no service has less than this
  double latency_ms = 0;
  double power_w = 0;  ///< that it takes
};

/// The choice that comes closest to the percentile.
struct NearestChoice {
  std::vector<size_t> choice;
  double late_share = 1;  ///< as SimulatedChoice has it
};

/// Finds, among the choices that keep power (and figures), the one that trains most, or with no
/// training answers soonest (of two services: uses least of the tighter latency budget), while at
/// most a share of 1 − percentile/100 of the requests is late. Of equals the one of less power,
/// then of less latency.
///
/// Choices are simulated in the order of what they could train at most, (1 − α·t(k)/k)/t_tr with
/// the largest batch k that can gather within the latency budget, and the search ends where no
/// other could beat what was found. What was simulated is kept: power budgets share it.
class ArrivalPlanner {
 public:
  /// `arrivals` of each service; the problem's roles say nothing of rates here but that they serve.
  ArrivalPlanner(ServingProblem live, std::vector<ArrivalSpec> arrivals,
                 ArrivalPlanOptions options);

  /// Under this power budget; nothing where no choice keeps the limits, or once it is stopped.
  std::optional<SimulatedChoice> plan(double power_w);
  /// One choice.
  const SimulatedChoice& simulated(std::span<const size_t> choice);
  /// One choice with the larger latencies and late shares of two simulations, the one that was to
  /// confirm the other included: what is promised of a plan.
  SimulatedChoice worse_of_two(std::span<const size_t> choice);
  /// Does it keep the percentile? Asked twice where the first simulation saw any late: bursts come
  /// together, so the second one is four times as long, over other arrivals.
  bool in_time(std::span<const size_t> choice);
  /// Where plan(power_w) has nothing: the least power above that with which there is a plan, among
  /// the `most_looked` thriftiest choices.
  std::optional<EnoughPower> least_power(double power_w);
  /// And of the choices within `power_w` (of more than `most_looked`, of so many spread over them)
  /// the one that answers most requests in time.
  std::optional<NearestChoice> nearest(double power_w);
  /// The least latency budget of one service (of all, without a role), all else kept, with which
  /// plan(power_w) finds something among the `most_looked` choices that answer soonest. Three
  /// digits, as simulated.
  std::optional<EnoughLatency> least_latency(double power_w, std::optional<size_t> role) const;
  /// And where no limit alone does: the least power and latency together, in equal shares of what
  /// is allowed as nearly as steps of a quarter of the power tell.
  std::optional<EnoughLatency> least_together(double power_w) const;
  /// The tightest latency budgets that a choice keeps, by service, of several all tightened alike;
  /// three digits, as simulated. Empty where one has none, or the choice keeps none.
  std::vector<double> tightest_ms(std::span<const size_t> choice) const;
  static constexpr size_t most_looked = 2000;
  /// What the requests take of the time, in the choice where that is least; 1 and more: they come
  /// faster than any choice can answer them.
  double least_load() const { return least_load_; }
  bool stopped() const { return options_.stop && *options_.stop; }
  size_t simulations() const { return known_.size(); }

 private:
  struct Candidate {
    std::vector<size_t> choice;
    double power_w = 0, bound = 0;
    double answer_ms = 0;  ///< of one request of each service, alone
  };
  Simulation simulation_of(std::span<const size_t> choice, uint64_t seed, double requests,
                           std::vector<std::unique_ptr<ArrivalSource>>& sources) const;
  SimulatedChoice simulate_once(std::span<const size_t> choice, uint64_t seed,
                                double requests) const;
  double latency_ms(const ServiceResult& service, bool in_time) const;
  /// Sets how soon it answers, and its bound.
  void judge(Candidate& candidate);
  /// What one of its training minibatches counts as.
  double counted(std::span<const size_t> choice) const;
  bool better(const SimulatedChoice& one, const SimulatedChoice& other) const;
  double late_allowed() const { return 1 - options_.percentile / 100; }
  bool doubtful(double late_share) const;  ///< in time, but not without any late
  /// Over four times as many other requests.
  SimulatedChoice simulate_again(std::span<const size_t> choice) const;
  const SimulatedChoice& confirmed(std::span<const size_t> choice);
  /// in_time() where most choices are not, which a short simulation shows; nothing is kept of it.
  bool keeps_up(std::span<const size_t> choice) const;
  /// Would a plan look at it, as the budgets are now?
  bool looks_at(std::span<const size_t> choice);
  /// As far as it was looked at: in the first simulation, or the one that was to confirm it.
  double late_share(std::span<const size_t> choice);

  ServingProblem live_;
  std::vector<ArrivalSpec> arrivals_;
  ArrivalPlanOptions options_;
  double least_load_ = unlimited;
  std::vector<Candidate> candidates_;  ///< the most promising first
  std::map<std::vector<size_t>, SimulatedChoice> known_;
  std::map<std::vector<size_t>, SimulatedChoice> confirmed_;  ///< as it was simulated again
};

}  // namespace flyball
