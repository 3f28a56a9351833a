#include "schedule/planning/arrival_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/random.h"
#include "problem/choices.h"

namespace flyball {
namespace {

constexpr double bound_slack = 1.02;  // chance may let a batch grow beyond what gathers on average
constexpr uint64_t confirming = 99;   // stream of the second simulation
constexpr double glimpse = 1.0 / 8;   // of the requests, to see what keeps nowhere near …
constexpr double far_too_late = 3;    // … times the share that may be late

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
    // Who answers nobody is not quick.
    one.latency_ms =
        service.answered > 0 ? service.latency.quantile_ms(options_.percentile / 100) : unlimited;
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

const SimulatedChoice& ArrivalPlanner::simulated(std::span<const size_t> choice) {
  std::vector<size_t> key(choice.begin(), choice.end());
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  return known_.emplace(key, simulate_once(choice, options_.seed, options_.requests)).first->second;
}

bool ArrivalPlanner::in_time(std::span<const size_t> choice) {
  return late_share(choice) <= late_allowed();
}

bool ArrivalPlanner::doubtful(double late_share) const {
  return late_share <= late_allowed() && late_share > late_allowed() / 50;
}

double ArrivalPlanner::confirmed_late_share(std::span<const size_t> choice) const {
  return simulate_once(choice, mix_seed(options_.seed, confirming), 4 * options_.requests)
      .late_share;
}

double ArrivalPlanner::late_share(std::span<const size_t> choice) {
  const SimulatedChoice& first = simulated(choice);
  if (!doubtful(first.late_share)) return first.late_share;
  const auto [entry, is_new] = confirmed_.try_emplace(first.choice, 1);
  if (is_new) entry->second = confirmed_late_share(choice);
  return entry->second;
}

bool ArrivalPlanner::keeps_up(std::span<const size_t> choice) const {
  const auto late = [&](double requests) {
    return simulate_once(choice, options_.seed, requests).late_share;
  };
  if (late(options_.requests * glimpse) > far_too_late * late_allowed()) return false;
  const double first = late(options_.requests);
  return (doubtful(first) ? confirmed_late_share(choice) : first) <= late_allowed();
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
