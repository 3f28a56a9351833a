// Plans for arrivals as they come: a choice is judged by running the very scheduler that serves.
#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "schedule/planning/serving_problem.h"

namespace flyball {

struct ArrivalPlanOptions {
  double percentile = usual_percentile;  ///< of the requests, in time
  double requests = 6000;                ///< simulated of each service for each choice …
  double least_s = 30;                   ///< … over this time at least
  uint64_t seed = 1;
  /// May this choice be the plan? Asked last, of one that would be; empty: any may.
  std::function<bool(std::span<const size_t> choice)> allowed{};
  const std::atomic<bool>* stop = nullptr;  ///< once set, there is no plan any more; may be null
  /// Told how many of the choices that may have to be simulated were looked at, and what for.
  std::function<void(size_t done, size_t of, const char* what)> progress{};
};

/// The share of the requests that may be late or refused.
inline double may_be_late(double percentile) {
  return 1 - percentile / 100;
}
/// Latency in ms at the percentile of all that came, those refused included: above the budget where
/// more are late or refused than may be; infinite where more are refused; NaN where none came.
double latency_at(const ServiceResult& service, double percentile);

/// How one service fares.
struct SimulatedService {
  double late_share = 0;  ///< late or refused
  double latency_ms = 0;  ///< latency_at() the percentile
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
  std::optional<size_t>
      role{};  ///< whose budget is relaxed; nothing: no service has less than this
  double latency_ms = 0;
  double power_w = 0;                   ///< that it takes
  std::vector<ArrivalSpec> arrivals{};  ///< slower ones, where it takes these, too; else empty
};

/// A choice that would do if fewer requests came to one service.
struct EnoughRate {
  std::vector<size_t> choice;
  double rate_hz = 0;
};

/// The choice that comes closest to the percentile.
struct NearestChoice {
  std::vector<size_t> choice;
  double late_share = 1;  ///< as SimulatedChoice has it
};

/// Finds, among the choices that keep power (and figures), the one that trains most, or with no
/// training answers soonest (of two services: uses least of the tighter latency budget), while at
/// most a share of 1 − percentile/100 of the requests is late. Of equals the one of less power,
/// then of less latency. Latency is that of worse_of_two(), as it is promised.
///
/// Choices are simulated in the order of what they could train at most, (1 − α·t(k)/k)/t_tr with
/// the largest batch k that can gather within the latency budget, and the search ends where no
/// other could beat what was found; a simulation ends as soon as its choice is too late, or slower
/// than that. What was simulated is kept: power budgets share it.
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
  /// Where plan(power_w) has nothing: the least power above that with which there is a plan that
  /// trains (where it is to; so with all that may be relaxed), among the `most_looked` thriftiest
  /// choices.
  std::optional<EnoughPower> least_power(double power_w);
  /// And of the choices within `power_w` (of more than `most_looked`, of so many spread over them)
  /// the one that answers most requests in time.
  std::optional<NearestChoice> nearest(double power_w);
  /// The least latency budget of one service (of all, without a role), all else kept, with which
  /// plan(power_w) finds something among the `most_looked` choices that answer soonest. Three
  /// digits, as simulated.
  std::optional<EnoughLatency> least_latency(double power_w, std::optional<size_t> role) const;
  /// The highest rate of one service above this share of its own, all else kept, likewise; rounded
  /// down. Nothing of arrivals that have more than one rate.
  std::optional<EnoughRate> highest_rate(double power_w, size_t service, double share) const;
  static constexpr double few = 1e-2, fewest = 1e-4;  ///< shares of a rate that may still be asked
  /// And where no limit alone does: the least power and latency together, in equal shares of what
  /// is allowed as nearly as steps of a quarter of the power tell; where they do not do either,
  /// with all rates lowered by one factor, the largest of those whose steps are a quarter, too,
  /// down to the `fewest`.
  std::optional<EnoughLatency> least_together(double power_w) const;
  /// The highest percentile that this choice keeps in both simulations, rounded down; below
  /// `least_percentile`, not below that which is asked, or of one that trains nothing: nothing.
  std::optional<double> kept_percentile(std::span<const size_t> choice);
  /// The tightest latency budgets that a choice keeps, by service, of several all tightened alike;
  /// three digits, as simulated. Empty where one has none, or the choice keeps none.
  std::vector<double> tightest_ms(std::span<const size_t> choice) const;
  static constexpr size_t most_looked = 2000;
  /// What the requests take of the time, in the choice where that is least; 1 and more: they come
  /// faster than any choice can answer them.
  double least_load() const { return least_load_; }
  /// The same if there were time for the largest batches to gather.
  double least_patient_load() const { return least_patient_load_; }
  const std::vector<ArrivalSpec>& arrivals() const { return arrivals_; }
  bool stopped() const { return options_.stop && *options_.stop; }
  size_t simulations() const { return known_.size() + given_up_.size(); }

 private:
  struct Candidate {
    std::vector<size_t> choice;
    double power_w = 0, bound = 0;
    double answer_ms = 0;  ///< of one request of each service, alone
  };
  /// A simulation is given up once it is sure to end beyond one of these.
  struct Bar {
    double late_share = unlimited, latency_share = unlimited;
  };
  /// The requests of a simulation, which are those of every choice.
  struct Drawn {
    double seconds = 0;
    std::vector<std::vector<int64_t>> at_ns;  ///< of each service
  };
  class Watch;
  const Drawn& drawn(uint64_t seed, double requests);
  void set_arrivals(size_t service, ArrivalSpec spec);
  /// Nothing where it was given up.
  std::optional<SimulatedChoice> simulate_once(std::span<const size_t> choice, uint64_t seed,
                                               double requests, const Bar& bar);
  /// The same of what is kept; null where it is beyond the bar.
  const SimulatedChoice* simulated_to(std::span<const size_t> choice, const Bar& bar);
  /// Sets how soon it answers, and its bound.
  void judge(Candidate& candidate);
  /// What one of its training minibatches counts as.
  double counted(std::span<const size_t> choice) const;
  bool better(const SimulatedChoice& one, const SimulatedChoice& other) const;
  double late_allowed() const { return may_be_late(options_.percentile); }
  bool doubtful(double late_share) const;  ///< in time, but not without any late
  /// Over four times as many other requests.
  std::optional<SimulatedChoice> simulate_again(std::span<const size_t> choice, const Bar& bar);
  const SimulatedChoice& confirmed(std::span<const size_t> choice);
  /// in_time(), of which nothing is kept, and does it train, where it is to? What is advised does.
  bool keeps_up(std::span<const size_t> choice);
  bool trains(const SimulatedChoice& run) const {
    return !live_.problem->concurrent() || run.trainings_per_s > 0;
  }
  /// The least share of a latency budget that its minibatches alone take.
  double least_share(std::span<const size_t> choice) const;
  void tell(size_t done, size_t of, const char* what) const {
    if (options_.progress) options_.progress(done, of, what);
  }
  /// Would a plan look at it, as the budgets are now?
  bool looks_at(std::span<const size_t> choice);
  /// Keeps of the candidates `most_looked` within this power, those first that answer soonest.
  void look_at_soonest(double power_w);
  /// The least power and latency that do at these rates.
  std::optional<EnoughLatency> least_of_both(double power_w) const;

  ServingProblem live_;
  std::vector<ArrivalSpec> arrivals_;
  ArrivalPlanOptions options_;
  double least_load_ = unlimited, least_patient_load_ = unlimited;
  std::vector<Candidate> candidates_;                   ///< the most promising first
  std::map<std::pair<uint64_t, double>, Drawn> drawn_;  ///< by seed and number
  std::map<std::vector<size_t>, SimulatedChoice> known_;
  std::map<std::vector<size_t>, SimulatedChoice> confirmed_;  ///< as it was simulated again
  std::map<std::vector<size_t>, Bar> given_up_;               ///< beyond which bar
  std::set<std::vector<size_t>> refuted_;                     ///< in time at first, not again
};

}  // namespace flyball
