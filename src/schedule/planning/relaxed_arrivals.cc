// The least latency budgets and the highest rates that would do, searched by simulation.
#include <algorithm>
#include <cmath>

#include "base/figure.h"
#include "schedule/planning/arrival_plan.h"

namespace flyball {
namespace {

constexpr double farthest = 100;      // times the budget, or the quickest answer: no more
constexpr double nearer = 0.998;      // by less another choice is not worth more
constexpr double tightest = 0.01;     // of the budget: less is not looked for
constexpr double coarse_step = 1.25;  // of power, and of all rates
constexpr double step = 1 + 1e-3;     // between two budgets that are told apart

/// Of what was measured.
double quickest_ms(std::span<const Reading> readings) {
  double least = unlimited;
  for (const Reading& reading : readings)
    if (reading.minibatch_ms < least) least = reading.minibatch_ms;
  return least < unlimited ? least : 0;
}

/// The latency budgets of a problem, one or all of them relaxed.
class Patience {
 public:
  Patience(const Problem& asked, std::optional<size_t> role) : role_(role), problem_(asked) {
    for (const Role& own : asked.roles) asked_ms_.push_back(own.latency_ms);
    for (size_t r = 0; r < asked.roles.size(); ++r)
      if (relaxes(r)) most_ms_ = std::max(most_ms_, asked_ms_[r]);
  }
  double asked_ms() const { return most_ms_; }
  /// A budget that no answer keeps says nothing of how far one must go.
  double farthest_ms(const Readings& readings) const {
    double most_ms = most_ms_;
    for (size_t r = 0; r < asked_ms_.size(); ++r)
      if (relaxes(r)) most_ms = std::max(most_ms, quickest_ms(readings[r]));
    return farthest * most_ms;
  }
  const Problem& problem() const { return problem_; }
  void set(double latency_ms) {
    for (size_t r = 0; r < asked_ms_.size(); ++r)
      if (relaxes(r)) problem_.roles[r].latency_ms = std::max(asked_ms_[r], latency_ms);
  }

 private:
  bool relaxes(size_t role) const {
    return problem_.roles[role].serves() && (!role_ || *role_ == role);
  }
  std::optional<size_t> role_;
  Problem problem_;
  std::vector<double> asked_ms_;
  double most_ms_ = 0;
};

/// The least budget above `low_ms` that does, where `high_ms` does.
template <class Does>
double least_between(double low_ms, double high_ms, const Does& does) {
  while (high_ms > step * low_ms) {
    const double middle_ms = std::sqrt(low_ms * high_ms);
    (does(middle_ms) ? high_ms : low_ms) = middle_ms;
  }
  return high_ms;
}

/// All rates lowered by one factor; nothing where one cannot be.
std::optional<std::vector<ArrivalSpec>> slower(const std::vector<ArrivalSpec>& arrivals,
                                               double factor) {
  std::vector<ArrivalSpec> all;
  for (const ArrivalSpec& spec : arrivals) {
    auto one = at_rate(spec, rounded(factor * spec.rate_hz, 3, false));
    if (!one) return std::nullopt;
    all.push_back(*std::move(one));
  }
  return all;
}

/// A problem in which the services have these rates.
Problem with_rates(Problem problem, const std::vector<ArrivalSpec>& arrivals) {
  size_t s = 0;
  for (Role& role : problem.roles)
    if (role.serves()) role.rate_hz = arrivals[s++].rate_hz;
  return problem;
}

}  // namespace

void ArrivalPlanner::look_at_soonest(double power_w) {
  std::erase_if(candidates_, [&](const Candidate& c) {
    return power_w != unlimited && !holds(c.power_w, power_w);
  });
  std::ranges::stable_sort(candidates_, {}, &Candidate::answer_ms);
  if (candidates_.size() > most_looked) candidates_.resize(most_looked);
}

std::optional<EnoughRate> ArrivalPlanner::highest_rate(double power_w, size_t service,
                                                       double share) const {
  const double asked_hz = arrivals_[service].rate_hz;
  std::vector<ArrivalSpec> slow = arrivals_;
  const auto lowest = at_rate(slow[service], share * asked_hz);
  if (!lowest) return std::nullopt;
  slow[service] = *lowest;
  Problem problem = with_rates(*live_.problem, slow);
  ArrivalPlanner planner({&problem, live_.readings, live_.queue}, slow, options_);
  planner.look_at_soonest(power_w);
  EnoughRate best{{}, lowest->rate_hz};
  for (size_t i = 0; i < planner.candidates_.size(); ++i) {
    const Candidate& candidate = planner.candidates_[i];
    tell(i, planner.candidates_.size(), "looking for the rate that would do");
    const auto does = [&](double rate_hz) {
      planner.set_arrivals(service, *at_rate(slow[service], rate_hz));
      problem.roles[live_.serving_role() + service].rate_hz = rate_hz;
      return !stopped() && planner.looks_at(candidate.choice) && planner.keeps_up(candidate.choice);
    };
    const double enough_hz = best.rate_hz / nearer;
    if (enough_hz >= asked_hz || !does(enough_hz)) continue;
    const double gap =
        least_between(1 / asked_hz, 1 / enough_hz, [&](double gap_s) { return does(1 / gap_s); });
    double found_hz = rounded(1 / gap, 3, false);
    // As with latencies: what is advised was simulated at just this rate.
    while (found_hz > best.rate_hz && !does(found_hz))
      found_hz = rounded(found_hz / step, 3, false);
    if (found_hz <= best.rate_hz) continue;
    best = {candidate.choice, found_hz};
  }
  if (stopped() || best.choice.empty()) return std::nullopt;
  return best;
}

std::optional<EnoughLatency> ArrivalPlanner::least_latency(double power_w,
                                                           std::optional<size_t> role) const {
  Patience patience(*live_.problem, role);
  if (patience.asked_ms() == unlimited) return std::nullopt;
  EnoughLatency least{{}, role, patience.farthest_ms(*live_.readings), 0};
  patience.set(least.latency_ms);
  ArrivalPlanner patient({&patience.problem(), live_.readings, live_.queue}, arrivals_, options_);
  patient.look_at_soonest(power_w);
  for (size_t i = 0; i < patient.candidates_.size(); ++i) {
    const Candidate& candidate = patient.candidates_[i];
    tell(i, patient.candidates_.size(), "looking for the latency that would do");
    const auto does = [&](double latency_ms) {
      patience.set(latency_ms);
      return !stopped() && patient.looks_at(candidate.choice) && patient.keeps_up(candidate.choice);
    };
    const double enough_ms = nearer * least.latency_ms;
    if (enough_ms <= patience.asked_ms() || !does(enough_ms)) continue;
    double found_ms = rounded(least_between(patience.asked_ms(), enough_ms, does), 3, true);
    // Now and then a little more time is not enough where a little less was.
    while (found_ms < least.latency_ms && !does(found_ms))
      found_ms = rounded(step * found_ms, 3, true);
    if (found_ms >= least.latency_ms) continue;
    least.latency_ms = found_ms;
    least.choice = candidate.choice;
    least.power_w = candidate.power_w;
  }
  if (stopped() || least.choice.empty()) return std::nullopt;
  return least;
}

std::vector<double> ArrivalPlanner::tightest_ms(std::span<const size_t> choice) const {
  Problem tight = *live_.problem;
  std::vector<double> asked_ms;
  for (const Role& role : tight.roles)
    if (role.serves()) asked_ms.push_back(role.latency_ms);
  if (std::ranges::count(asked_ms, unlimited) > 0) return {};
  ArrivalPlanner planner({&tight, live_.readings, live_.queue}, arrivals_, options_);
  const auto budgets_ms = [&](double share) {
    std::vector<double> all;
    for (const double ms : asked_ms) all.push_back(std::min(ms, rounded(share * ms, 3, true)));
    return all;
  };
  const auto does = [&](double share) {
    size_t s = 0;
    for (const double ms : budgets_ms(share)) {
      while (!tight.roles[s].serves()) ++s;
      tight.roles[s++].latency_ms = ms;
    }
    return !stopped() && planner.looks_at(choice) && planner.keeps_up(choice);
  };
  if (!does(1)) return {};
  const double share = least_between(tightest, 1, does);
  return stopped() ? std::vector<double>() : budgets_ms(share);
}

std::optional<EnoughLatency> ArrivalPlanner::least_of_both(double power_w) const {
  if (power_w == unlimited) return least_latency(power_w, {});
  if (candidates_.empty()) return std::nullopt;
  const double asked_ms = Patience(*live_.problem, {}).asked_ms();
  const double most_w = std::ranges::max(candidates_, {}, &Candidate::power_w).power_w;
  std::optional<EnoughLatency> least;
  double least_share = unlimited;
  for (double share = 1; share < least_share && !stopped(); share *= coarse_step) {
    if (auto enough = least_latency(share * power_w, {})) {
      const double own = std::max(enough->power_w / power_w, enough->latency_ms / asked_ms);
      if (own < least_share) least_share = own, least = std::move(enough);
    }
    if (share * power_w > most_w) break;
  }
  return least;
}

std::optional<EnoughLatency> ArrivalPlanner::least_together(double power_w) const {
  if (auto enough = least_of_both(power_w)) return enough;
  for (double factor = 1 / coarse_step; factor > fewest && !stopped(); factor /= coarse_step) {
    const auto fewer = slower(arrivals_, factor);
    if (!fewer) return std::nullopt;
    const Problem problem = with_rates(*live_.problem, *fewer);
    const ArrivalPlanner planner({&problem, live_.readings, live_.queue}, *fewer, options_);
    if (auto enough = planner.least_of_both(power_w)) {
      enough->arrivals = *fewer;
      return enough;
    }
  }
  return std::nullopt;
}

}  // namespace flyball
