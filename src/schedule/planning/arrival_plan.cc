#include "schedule/planning/arrival_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/figure.h"
#include "base/random.h"
#include "problem/choices.h"

namespace flyball {
namespace {

constexpr double bound_slack = 1.02;  // chance may let a batch grow beyond what gathers on average
constexpr double reading_slack = 1.0025;  // half a step of the histogram
constexpr uint64_t confirming = 99;       // stream of the second simulation
constexpr double surely = 1.01;  // times a latency: beyond that, more than the histogram's steps
constexpr size_t looks = 200;    // at the latencies of a simulation, of which each takes a while
constexpr double few_late = 20;  // requests that may be late: fewer decide nothing by one run

/// Requests that were drawn before.
class Replayed final : public ArrivalSource {
 public:
  explicit Replayed(const std::vector<int64_t>& at_ns) : at_ns_(at_ns) {}
  std::optional<int64_t> next_ns() override {
    return at_ == at_ns_.size() ? std::nullopt : std::optional(at_ns_[at_++]);
  }

 private:
  const std::vector<int64_t>& at_ns_;
  size_t at_ = 0;
};

}  // namespace

// Who answers nobody is not quick: a request that is refused is one that never ends. The histogram
// rounds: what is in time is not above the budget for that, and what is not is not within.
double latency_at(const ServiceResult& service, double percentile) {
  if (service.arrived == 0) return std::nan("");
  const double answered = static_cast<double>(service.answered);
  const double share = percentile / 100 * static_cast<double>(service.arrived) / answered;
  if (!(share <= 1)) return unlimited;
  const double read_ms = reading_slack * service.latency.quantile_ms(share);
  const bool in_time = service.late_share() <= may_be_late(percentile);
  return in_time ? std::min(read_ms, service.budget_ms) : std::max(read_ms, service.budget_ms);
}

/// Looks on at a simulation whose requests are all known beforehand.
class ArrivalPlanner::Watch {
 public:
  Watch(const Bar& bar, const Drawn& drawn, double late_allowed)
      : bar_(bar), drawn_(drawn), late_allowed_(late_allowed), next_(drawn.at_ns.size()) {}

  bool gives_up(const ServingResult& so_far) {
    for (size_t s = 0; s < so_far.services.size() && !given_up_; ++s)
      given_up_ = too_late(so_far.services[s], s) || too_slow(so_far.services[s], s);
    return given_up_;
  }
  bool given_up() const { return given_up_; }

 private:
  double of_all(double share, size_t s) const {
    return share * static_cast<double>(drawn_.at_ns[s].size()) * (1 + 1e-12);
  }
  bool too_late(const ServiceResult& service, size_t s) const {
    return static_cast<double>(service.late + service.refused) > of_all(bar_.late_share, s);
  }
  bool too_slow(const ServiceResult& service, size_t s) {
    const double limit_ms = surely * bar_.latency_share * service.budget_ms;
    if (!(limit_ms < unlimited) || service.answered < next_[s]) return false;
    next_[s] = service.answered + drawn_.at_ns[s].size() / looks + 1;
    const size_t beyond = service.answered - service.latency.at_most(limit_ms) + service.refused;
    return static_cast<double>(beyond) > of_all(late_allowed_, s);
  }

  const Bar& bar_;
  const Drawn& drawn_;
  double late_allowed_;
  std::vector<size_t> next_;  ///< look at the latencies when so many are answered
  bool given_up_ = false;
};

ArrivalPlanner::ArrivalPlanner(ServingProblem live, std::vector<ArrivalSpec> arrivals,
                               ArrivalPlanOptions options)
    : live_(live), arrivals_(std::move(arrivals)), options_(options) {
  for_each_choice(*live_.problem, [&](std::span<const size_t> choice) {
    Candidate candidate{{choice.begin(), choice.end()}, live_.power_w(choice), 0, 0};
    for (size_t role = 0; role < choice.size(); ++role) {
      const Reading& reading = (*live_.readings)[role][choice[role]];
      if (!(reading.minibatch_ms > 0) || reading.excess > 0) return;
    }
    judge(candidate);
    if (candidate.bound > 0) candidates_.push_back(std::move(candidate));
  });
  std::ranges::stable_sort(candidates_, std::ranges::greater(), &Candidate::bound);
}

// The bound: what is trained per second at most (trained_per_s); without a training the reciprocal
// of a batch's time. 0 where the service alone takes more time than there is.
void ArrivalPlanner::judge(Candidate& candidate) {
  const RunningPlan plan = live_.plan(candidate.choice);
  double left = 1, patient_load = 0;
  size_t s = 0;
  for (const Role& role : live_.problem->roles) {
    if (!role.serves()) continue;
    const double gathers = 1 + arrivals_[s].rate_hz * role.latency_ms * 1e-3;
    const auto batch = static_cast<int64_t>(
        std::min(static_cast<double>(plan.largest_batch[s]), std::ceil(gathers)));
    const double batch_s = plan.services[s].minibatch.typical_ns(batch) * 1e-9;
    left -= arrivals_[s].rate_hz * batch_s / static_cast<double>(batch);
    const int64_t largest = plan.largest_batch[s];
    patient_load += arrivals_[s].rate_hz * 1e-9 * plan.services[s].minibatch.typical_ns(largest) /
                    static_cast<double>(largest);
    candidate.answer_ms += plan.services[s].minibatch.typical_ns(1) * 1e-6;
    ++s;
  }
  least_load_ = std::min(least_load_, 1 - left);
  least_patient_load_ = std::min(least_patient_load_, patient_load);
  if (plan.trainings.empty())
    candidate.bound = left > 0 ? 1e3 / candidate.answer_ms : 0;
  else
    candidate.bound =
        counted(candidate.choice) * left / (plan.trainings[0].minibatch.typical_ns(1) * 1e-9);
}

bool ArrivalPlanner::looks_at(std::span<const size_t> choice) {
  Candidate candidate{{choice.begin(), choice.end()}, 0, 0, 0};
  judge(candidate);
  return candidate.bound > 0;
}

double ArrivalPlanner::counted(std::span<const size_t> choice) const {
  const Problem& problem = *live_.problem;
  return problem.roles.front().serves() ? 1
                                        : problem.counts(problem.candidates->batch(0, choice[0]));
}

void ArrivalPlanner::set_arrivals(size_t service, ArrivalSpec spec) {
  if (spec.text == arrivals_[service].text) return;
  arrivals_[service] = std::move(spec);
  drawn_.clear();
}

const ArrivalPlanner::Drawn& ArrivalPlanner::drawn(uint64_t seed, double requests) {
  const auto [place, is_new] = drawn_.try_emplace({seed, requests});
  Drawn& drawn = place->second;
  if (!is_new) return drawn;
  double slowest_hz = unlimited, fastest_hz = 0, longest_s = 0;
  for (const ArrivalSpec& spec : arrivals_) {
    slowest_hz = std::min(slowest_hz, spec.rate_hz);
    fastest_hz = std::max(fastest_hz, spec.rate_hz);
    longest_s = std::max(longest_s, spec.seconds().value_or(0));
  }
  // A service that is hardly asked is not waited for: ten times as many of the busiest are enough.
  const double enough_s =
      std::max(options_.least_s, std::min(requests / slowest_hz, 10 * requests / fastest_hz));
  drawn.seconds = std::min(longest_s > 0 ? longest_s : enough_s, longest_arrivals_s);
  const int64_t end_ns = std::llround(drawn.seconds * 1e9);
  for (size_t s = 0; s < arrivals_.size(); ++s) {
    const auto source = make_arrivals(arrivals_[s], mix_seed(seed, s));
    std::vector<int64_t>& at_ns = drawn.at_ns.emplace_back();
    for (auto next = source->next_ns(); next && *next < end_ns; next = source->next_ns())
      at_ns.push_back(*next);
  }
  return drawn;
}

std::optional<SimulatedChoice> ArrivalPlanner::simulate_once(std::span<const size_t> choice,
                                                             uint64_t seed, double requests,
                                                             const Bar& bar) {
  const Drawn& requested = drawn(seed, requests);
  std::vector<Replayed> sources;
  for (const std::vector<int64_t>& at_ns : requested.at_ns) sources.emplace_back(at_ns);
  Watch watch(bar, requested, late_allowed());
  Simulation asked = live_.simulation(choice);
  for (size_t s = 0; s < arrivals_.size(); ++s) {
    asked.services[s].rate_hz = arrivals_[s].rate_hz;
    asked.arrivals.push_back(&sources[s]);
  }
  asked.seconds = requested.seconds;
  asked.seed = seed;
  asked.stop = options_.stop;
  asked.give_up = [&](const ServingResult& so_far) { return watch.gives_up(so_far); };
  const ServingResult result = simulate(std::move(asked));
  if (watch.given_up()) return std::nullopt;
  SimulatedChoice found;
  found.choice.assign(choice.begin(), choice.end());
  found.late_share = 0;
  for (const ServiceResult& service : result.services) {
    SimulatedService& one = found.services.emplace_back();
    one.late_share = service.late_share();
    one.latency_ms = latency_at(service, options_.percentile);
    if (service.batches > 0)
      one.mean_batch = static_cast<double>(service.samples) / static_cast<double>(service.batches);
    found.late_share = std::max(found.late_share, one.late_share);
    if (std::isnan(one.latency_ms)) continue;
    found.longest_ms = std::max(found.longest_ms, one.latency_ms);
    found.latency_share = std::max(found.latency_share, one.latency_ms / service.budget_ms);
  }
  for (const TrainingResult& training : result.trainings)
    found.trainings_per_s += static_cast<double>(training.minibatches) / result.seconds;
  found.trained_per_s = counted(choice) * found.trainings_per_s;
  found.p99_ms = found.services.back().latency_ms;
  found.mean_batch = found.services.back().mean_batch;
  return found;
}

const SimulatedChoice& ArrivalPlanner::simulated(std::span<const size_t> choice) {
  return *simulated_to(choice, {});
}

const SimulatedChoice* ArrivalPlanner::simulated_to(std::span<const size_t> choice,
                                                    const Bar& bar) {
  const std::vector<size_t> key(choice.begin(), choice.end());
  if (const auto known = known_.find(key); known != known_.end()) return &known->second;
  const auto before = given_up_.find(key);
  if (before != given_up_.end() && before->second.late_share >= bar.late_share &&
      before->second.latency_share >= bar.latency_share)
    return nullptr;
  auto found = simulate_once(choice, options_.seed, options_.requests, bar);
  if (!found) {
    given_up_[key] = bar;
    return nullptr;
  }
  given_up_.erase(key);
  return &known_.emplace(key, *std::move(found)).first->second;
}

bool ArrivalPlanner::in_time(std::span<const size_t> choice) {
  const Bar bar{late_allowed()};
  const SimulatedChoice* first = simulated_to(choice, bar);
  if (!first || first->late_share > late_allowed()) return false;
  if (!doubtful(first->late_share)) return true;
  const std::vector<size_t> key(choice.begin(), choice.end());
  if (refuted_.contains(key)) return false;
  if (confirmed_.contains(key)) return confirmed(choice).late_share <= late_allowed();
  if (auto again = simulate_again(choice, bar)) {
    confirmed_.emplace(key, *std::move(again));
    return true;
  }
  refuted_.insert(key);
  return false;
}

bool ArrivalPlanner::doubtful(double late_share) const {
  const bool seldom = late_allowed() * options_.requests < few_late;
  return late_share <= late_allowed() && (seldom || late_share > late_allowed() / 50);
}

std::optional<SimulatedChoice> ArrivalPlanner::simulate_again(std::span<const size_t> choice,
                                                              const Bar& bar) {
  return simulate_once(choice, mix_seed(options_.seed, confirming), 4 * options_.requests, bar);
}

const SimulatedChoice& ArrivalPlanner::confirmed(std::span<const size_t> choice) {
  std::vector<size_t> key(choice.begin(), choice.end());
  if (const auto known = confirmed_.find(key); known != confirmed_.end()) return known->second;
  return confirmed_.emplace(key, *simulate_again(choice, {})).first->second;
}

SimulatedChoice ArrivalPlanner::worse_of_two(std::span<const size_t> choice) {
  SimulatedChoice worse = simulated(choice);
  const SimulatedChoice& again = confirmed(choice);
  for (size_t s = 0; s < worse.services.size(); ++s) {
    SimulatedService& one = worse.services[s];
    one.late_share = std::max(one.late_share, again.services[s].late_share);
    one.latency_ms = std::fmax(one.latency_ms, again.services[s].latency_ms);
  }
  worse.late_share = std::max(worse.late_share, again.late_share);
  worse.latency_share = std::max(worse.latency_share, again.latency_share);
  worse.longest_ms = std::max(worse.longest_ms, again.longest_ms);
  worse.p99_ms = worse.services.back().latency_ms;
  return worse;
}

bool ArrivalPlanner::keeps_up(std::span<const size_t> choice) {
  const Bar bar{late_allowed()};
  const auto first = simulate_once(choice, options_.seed, options_.requests, bar);
  if (!first || !trains(*first)) return false;
  return !doubtful(first->late_share) || simulate_again(choice, bar).has_value();
}

double ArrivalPlanner::least_share(std::span<const size_t> choice) const {
  const Candidates& all = *live_.problem->candidates;
  double most = 0;
  for (size_t role = 0; role < choice.size(); ++role) {
    if (!live_.problem->roles[role].serves()) continue;
    double least_ms = unlimited;
    for (const size_t other : all.of_mode(role, all.mode_of(role, choice[role])))
      if (all.batch(role, other) <= all.batch(role, choice[role]))
        if (const double ms = (*live_.readings)[role][other].minibatch_ms; ms > 0)
          least_ms = std::min(least_ms, ms);
    most = std::max(most, least_ms / live_.problem->roles[role].latency_ms);
  }
  return most;
}

bool ArrivalPlanner::better(const SimulatedChoice& one, const SimulatedChoice& other) const {
  if (one.trained_per_s != other.trained_per_s) return one.trained_per_s > other.trained_per_s;
  const auto costs = [&](const SimulatedChoice& run) {
    const double power_w = live_.power_w(run.choice);
    const double known_w = std::isnan(power_w) ? unlimited : power_w;
    return live_.problem->concurrent() ? std::pair(known_w, run.latency_share)
                                       : std::pair(run.latency_share, known_w);
  };
  return costs(one) < costs(other);
}

std::optional<double> ArrivalPlanner::kept_percentile(std::span<const size_t> choice) {
  const SimulatedChoice run = worse_of_two(choice);
  if (!trains(run)) return std::nullopt;
  const double late = run.late_share;
  double kept = rounded(100 * (1 - late), 4, false);
  if (late > 1 - kept / 100) kept = rounded(kept - 0.01, 4, false);
  if (!(kept >= least_percentile && kept < options_.percentile)) return std::nullopt;
  return kept;
}

std::optional<SimulatedChoice> ArrivalPlanner::plan(double power_w) {
  const bool trains = live_.problem->concurrent();
  std::optional<SimulatedChoice> best;
  for (size_t i = 0; i < candidates_.size(); ++i) {
    const Candidate& candidate = candidates_[i];
    if (stopped()) return std::nullopt;
    tell(i, candidates_.size(), "simulating choices");
    const bool in_budget = power_w == unlimited || holds(candidate.power_w, power_w);
    if (!in_budget) continue;
    if (best && trains && candidate.bound * bound_slack <= best->trained_per_s) break;
    Bar bar{late_allowed()};
    if (best && !trains) bar.latency_share = best->latency_share;
    if (least_share(candidate.choice) > surely * bar.latency_share) continue;
    const SimulatedChoice* found = simulated_to(candidate.choice, bar);
    if (!found || (best && !better(*found, *best)) || !in_time(candidate.choice)) continue;
    if (options_.allowed && !options_.allowed(candidate.choice)) continue;
    SimulatedChoice judged_by = trains ? *found : worse_of_two(candidate.choice);
    if (!best || better(judged_by, *best)) best = std::move(judged_by);
  }
  if (stopped()) return std::nullopt;  // what was simulated last was not, to its end
  return best;
}

std::optional<EnoughPower> ArrivalPlanner::least_power(double power_w) {
  if (power_w == unlimited) return std::nullopt;
  std::vector<const Candidate*> above;
  for (const Candidate& candidate : candidates_)
    if (!std::isnan(candidate.power_w) && !holds(candidate.power_w, power_w))
      above.push_back(&candidate);
  std::ranges::stable_sort(above, {}, &Candidate::power_w);
  if (above.size() > most_looked) above.resize(most_looked);
  for (size_t i = 0; i < above.size(); ++i) {
    if (stopped()) return std::nullopt;
    tell(i, above.size(), "looking for the power that would do");
    const std::vector<size_t>& choice = above[i]->choice;
    if (in_time(choice) && trains(simulated(choice))) return EnoughPower{choice, above[i]->power_w};
  }
  return std::nullopt;
}

std::optional<NearestChoice> ArrivalPlanner::nearest(double power_w) {
  const Candidate* best = nullptr;
  double least_late = 1;
  const size_t step = candidates_.size() / most_looked + 1;
  for (size_t i = 0; i < candidates_.size() && !stopped(); i += step) {
    const Candidate& candidate = candidates_[i];
    if (power_w != unlimited && !holds(candidate.power_w, power_w)) continue;
    tell(i, candidates_.size(), "looking for the nearest choice");
    const SimulatedChoice* first = simulated_to(candidate.choice, {least_late});
    if (!first) continue;
    const double late =
        doubtful(first->late_share) ? confirmed(candidate.choice).late_share : first->late_share;
    if (best && late >= least_late) continue;
    best = &candidate;
    least_late = late;
  }
  if (!best || stopped()) return std::nullopt;
  return NearestChoice{best->choice, least_late};
}

}  // namespace flyball
