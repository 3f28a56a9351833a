#include "schedule/planning/arrival_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/random.h"
#include "problem/choices.h"

namespace flyball {
namespace {

constexpr double bound_slack = 1.02;  // chance may let a batch grow beyond what gathers on average
constexpr double reading_slack = 1.0025;  // half a step of the histogram
constexpr uint64_t confirming = 99;       // stream of the second simulation
constexpr double glimpse = 1.0 / 8;       // of the requests, to see what keeps nowhere near …
constexpr double far_too_late = 3;        // … times the share that may be late
constexpr double few_late = 20;  // requests that may be late: fewer decide nothing by one run

}  // namespace

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
  double left = 1;
  size_t s = 0;
  for (const Role& role : live_.problem->roles) {
    if (!role.serves()) continue;
    const double gathers = 1 + arrivals_[s].rate_hz * role.latency_ms * 1e-3;
    const auto batch = static_cast<int64_t>(
        std::min(static_cast<double>(plan.largest_batch[s]), std::ceil(gathers)));
    const double batch_s = plan.services[s].minibatch.typical_ns(batch) * 1e-9;
    left -= arrivals_[s].rate_hz * batch_s / static_cast<double>(batch);
    candidate.answer_ms += plan.services[s].minibatch.typical_ns(1) * 1e-6;
    ++s;
  }
  least_load_ = std::min(least_load_, 1 - left);
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

// The sources must live as long as it runs.
Simulation ArrivalPlanner::simulation_of(
    std::span<const size_t> choice, uint64_t seed, double requests,
    std::vector<std::unique_ptr<ArrivalSource>>& sources) const {
  Simulation asked = live_.simulation(choice);
  double slowest_hz = unlimited, fastest_hz = 0, longest_s = 0;
  for (size_t s = 0; s < arrivals_.size(); ++s) {
    asked.services[s].rate_hz = arrivals_[s].rate_hz;
    sources.push_back(make_arrivals(arrivals_[s], mix_seed(seed, s)));
    asked.arrivals.push_back(sources.back().get());
    slowest_hz = std::min(slowest_hz, arrivals_[s].rate_hz);
    fastest_hz = std::max(fastest_hz, arrivals_[s].rate_hz);
    longest_s = std::max(longest_s, arrivals_[s].seconds().value_or(0));
  }
  // A service that is hardly asked is not waited for: ten times as many of the busiest are enough.
  const double enough_s =
      std::max(options_.least_s, std::min(requests / slowest_hz, 10 * requests / fastest_hz));
  asked.seconds = longest_s > 0 ? longest_s : enough_s;
  asked.seed = seed;
  asked.stop = options_.stop;
  return asked;
}

SimulatedChoice ArrivalPlanner::simulate_once(std::span<const size_t> choice, uint64_t seed,
                                              double requests) const {
  std::vector<std::unique_ptr<ArrivalSource>> sources;
  const ServingResult result = simulate(simulation_of(choice, seed, requests, sources));
  SimulatedChoice found;
  found.choice.assign(choice.begin(), choice.end());
  found.late_share = 0;
  for (const ServiceResult& service : result.services) {
    SimulatedService& one = found.services.emplace_back();
    one.late_share = service.late_share();
    one.latency_ms = latency_ms(service, one.late_share <= late_allowed());
    if (service.batches > 0)
      one.mean_batch = static_cast<double>(service.samples) / static_cast<double>(service.batches);
    found.late_share = std::max(found.late_share, one.late_share);
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

// Who answers nobody is not quick: a request that is refused is one that never ends. The histogram
// rounds: what is in time is not above the budget for that, and what is not is not within.
double ArrivalPlanner::latency_ms(const ServiceResult& service, bool in_time) const {
  const double answered = static_cast<double>(service.answered);
  const double share = options_.percentile / 100 * static_cast<double>(service.arrived) / answered;
  if (!(share <= 1)) return unlimited;
  const double read_ms = reading_slack * service.latency.quantile_ms(share);
  return in_time ? std::min(read_ms, service.budget_ms) : std::max(read_ms, service.budget_ms);
}

const SimulatedChoice& ArrivalPlanner::simulated(std::span<const size_t> choice) {
  std::vector<size_t> key(choice.begin(), choice.end());
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  return known_.emplace(key, simulate_once(choice, options_.seed, options_.requests)).first->second;
}

bool ArrivalPlanner::in_time(std::span<const size_t> choice) {
  return late_share(choice) <= late_allowed();
}

bool ArrivalPlanner::doubtful(double late_share) const {
  const bool few = late_allowed() * options_.requests < few_late;
  return late_share <= late_allowed() && (few || late_share > late_allowed() / 50);
}

SimulatedChoice ArrivalPlanner::simulate_again(std::span<const size_t> choice) const {
  return simulate_once(choice, mix_seed(options_.seed, confirming), 4 * options_.requests);
}

const SimulatedChoice& ArrivalPlanner::confirmed(std::span<const size_t> choice) {
  std::vector<size_t> key(choice.begin(), choice.end());
  if (const auto known = confirmed_.find(key); known != confirmed_.end()) return known->second;
  return confirmed_.emplace(key, simulate_again(choice)).first->second;
}

SimulatedChoice ArrivalPlanner::worse_of_two(std::span<const size_t> choice) {
  SimulatedChoice worse = simulated(choice);
  const SimulatedChoice& again = confirmed(choice);
  for (size_t s = 0; s < worse.services.size(); ++s) {
    SimulatedService& one = worse.services[s];
    one.late_share = std::max(one.late_share, again.services[s].late_share);
    one.latency_ms = std::max(one.latency_ms, again.services[s].latency_ms);
  }
  worse.late_share = std::max(worse.late_share, again.late_share);
  worse.latency_share = std::max(worse.latency_share, again.latency_share);
  worse.longest_ms = std::max(worse.longest_ms, again.longest_ms);
  worse.p99_ms = worse.services.back().latency_ms;
  return worse;
}

double ArrivalPlanner::late_share(std::span<const size_t> choice) {
  const SimulatedChoice& first = simulated(choice);
  return doubtful(first.late_share) ? confirmed(choice).late_share : first.late_share;
}

bool ArrivalPlanner::keeps_up(std::span<const size_t> choice) const {
  const auto late = [&](double requests) {
    return simulate_once(choice, options_.seed, requests).late_share;
  };
  if (late(options_.requests * glimpse) > far_too_late * late_allowed()) return false;
  const double first = late(options_.requests);
  return (doubtful(first) ? simulate_again(choice).late_share : first) <= late_allowed();
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

std::optional<SimulatedChoice> ArrivalPlanner::plan(double power_w) {
  std::optional<SimulatedChoice> best;
  for (const Candidate& candidate : candidates_) {
    if (stopped()) return std::nullopt;
    const bool in_budget = power_w == unlimited || candidate.power_w <= power_w;
    if (!in_budget) continue;
    const double could = live_.problem->concurrent() ? candidate.bound * bound_slack : unlimited;
    if (best && could <= best->trained_per_s) break;
    const SimulatedChoice& found = simulated(candidate.choice);
    const bool no_better = best && !better(found, *best);
    if (no_better || !in_time(candidate.choice)) continue;
    if (options_.allowed && !options_.allowed(candidate.choice)) continue;
    best = found;
  }
  if (stopped()) return std::nullopt;  // what was simulated last was not, to its end
  return best;
}

std::optional<EnoughPower> ArrivalPlanner::least_power(double power_w) {
  if (power_w == unlimited) return std::nullopt;
  std::vector<const Candidate*> above;
  for (const Candidate& candidate : candidates_)
    if (candidate.power_w > power_w) above.push_back(&candidate);
  std::ranges::stable_sort(above, {}, &Candidate::power_w);
  if (above.size() > most_looked) above.resize(most_looked);
  for (const Candidate* candidate : above) {
    if (stopped()) return std::nullopt;
    if (in_time(candidate->choice)) return EnoughPower{candidate->choice, candidate->power_w};
  }
  return std::nullopt;
}

std::optional<NearestChoice> ArrivalPlanner::nearest(double power_w) {
  const Candidate* best = nullptr;
  double least_late = 1;
  const size_t step = candidates_.size() / most_looked + 1;
  for (size_t i = 0; i < candidates_.size() && !stopped(); i += step) {
    const Candidate& candidate = candidates_[i];
    if (power_w != unlimited && !(candidate.power_w <= power_w)) continue;
    const double late = late_share(candidate.choice);
    if (best && late >= least_late) continue;
    best = &candidate;
    least_late = late;
  }
  if (!best || stopped()) return std::nullopt;
  return NearestChoice{best->choice, least_late};
}

}  // namespace flyball
