#include "search/acquisition.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/distributions.h"
#include "search/trial_chance.h"

namespace flyball {
namespace {

/// Mean and spread on the log scale.
struct LogNormal {
  double mean = 0, sd = 0;
};

LogNormal time_of(const Posterior& posterior, size_t candidate) {
  return {posterior.log_ms[candidate], posterior.sd_ms[candidate]};
}

/// Power may be unknown; then nothing is asked of it (a budget on it ends the search elsewhere).
LogNormal power_of(const Posterior& posterior, size_t candidate) {
  if (!posterior.has_power()) return {0, 0};
  return {posterior.log_w[candidate], posterior.sd_w[candidate]};
}

double power_probability(const Problem& problem, std::span<const Posterior> posteriors,
                         std::span<const size_t> choice) {
  double probability = 1;
  for (size_t role = 0; role < choice.size(); ++role) {
    const LogNormal power = power_of(posteriors[role], choice[role]);
    probability *= probability_below(problem.budgets.power_w, power.mean, power.sd);
  }
  return probability;
}

/// An objective that is log-normal, with a cap beyond which it is infeasible.
AcquisitionValue of_log_normal(double feasible, double best, LogNormal loss, double cap,
                               double offset) {
  AcquisitionValue acquisition;
  acquisition.feasible = feasible * probability_below(cap, loss.mean, loss.sd);
  acquisition.loss = offset + std::exp(loss.mean);
  if (best != unlimited)
    acquisition.gain = feasible * expected_improvement(best - offset, cap, loss.mean, loss.sd);
  return acquisition;
}

AcquisitionValue training(const Problem& problem, const Posterior& posterior, size_t candidate,
                          double feasible, double best) {
  LogNormal time = time_of(posterior, candidate);
  const double counts = problem.counts(problem.candidates->batch(0, candidate));
  time.mean -= std::log(counts);
  const LogNormal power = power_of(posterior, candidate);
  const LogNormal energy = {time.mean + power.mean - std::log(1e3), std::hypot(time.sd, power.sd)};
  const double cap = std::min(problem.budgets.time_ms, problem.slowdown_cap_ms(candidate) / counts);
  const double time_holds = probability_below(cap, time.mean, time.sd);
  const double energy_holds = probability_below(problem.budgets.energy_j, energy.mean, energy.sd);
  if (problem.objective == Objective::power)
    return of_log_normal(time_holds * energy_holds, best, power, problem.budgets.power_w, 0);
  if (problem.objective == Objective::energy)
    return of_log_normal(feasible * time_holds, best, energy, problem.budgets.energy_j, 0);
  return of_log_normal(feasible * energy_holds, best, time, cap, 0);
}

/// Energy of a request: with idle power I it is (t·(P − I) + I·w)/(1000·bs), an offset and a part
/// taken to be log-normal, whose spread is that of t and of P − I.
std::pair<LogNormal, double> request_energy(const Problem& problem, size_t candidate,
                                            LogNormal time, LogNormal power) {
  const double batch = problem.candidates->batch(0, candidate);
  const double per_request = std::log(1e3 * batch);
  const double idle_w =
      problem.idle_w.empty() ? 0 : problem.idle_w[problem.candidates->mode_of(0, candidate)];
  if (!(idle_w > 0))
    return {{time.mean + power.mean - per_request, std::hypot(time.sd, power.sd)}, 0};
  // Believed to draw less at work than idle: the posterior is off, not the idle power.
  const double watts = std::exp(power.mean), above = std::max(watts - idle_w, 0.05 * watts);
  return {
      {time.mean + std::log(above) - per_request, std::hypot(time.sd, power.sd * watts / above)},
      idle_w * problem.window_ms(0, batch) / (1e3 * batch)};
}

AcquisitionValue inference(const Problem& problem, const Posterior& posterior, size_t candidate,
                           double feasible, double best) {
  const double batch = problem.candidates->batch(0, candidate), wait = problem.wait_ms(0, batch);
  const double cap = std::min({problem.window_ms(0, batch), problem.roles[0].latency_ms - wait,
                               problem.slowdown_cap_ms(candidate)});
  if (cap <= 0) return {0, unlimited, 0};
  const LogNormal time = time_of(posterior, candidate), power = power_of(posterior, candidate);
  if (problem.objective == Objective::power) {
    const double holds = probability_below(cap, time.mean, time.sd);
    return of_log_normal(holds, best, power, problem.budgets.power_w, 0);
  }
  if (problem.objective == Objective::energy) {
    const double holds = feasible * probability_below(cap, time.mean, time.sd);
    const auto [energy, offset] = request_energy(problem, candidate, time, power);
    return of_log_normal(holds, best, energy, unlimited, offset);
  }
  const double offset = problem.objective == Objective::latency ? wait : 0;
  return of_log_normal(feasible, best, time, cap, offset);
}

/// The larger power of two roles, taken to be that of the one with the larger median: the other
/// only has to keep the budget.
AcquisitionValue of_larger_power(const Problem& problem, std::span<const Posterior> posteriors,
                                 std::span<const size_t> choice, double others_hold, double best) {
  LogNormal larger = power_of(posteriors[0], choice[0]), other = power_of(posteriors[1], choice[1]);
  if (other.mean > larger.mean) std::swap(larger, other);
  const double budget = problem.budgets.power_w;
  return of_log_normal(others_hold * probability_below(budget, other.mean, other.sd), best, larger,
                       budget, 0);
}

/// P[n training minibatches and one inference fit into the window].
double fits(double n, double window, LogNormal train, LogNormal infer) {
  const double trained = n * std::exp(train.mean), served = std::exp(infer.mean);
  const double sum = trained + served;
  return probability_below(window, std::log(sum),
                           std::hypot(trained * train.sd, served * infer.sd) / sum);
}

/// E[(N·unit − beat)+] of the whole number N of minibatches that fit, summed over its steps.
double expected_gain(double unit, double beat, double window, LogNormal train, LogNormal infer) {
  constexpr int most_steps = 64;
  double n = std::floor(beat / unit + 1e-9) + 1;
  double step = n * unit - beat, gain = 0;
  for (int i = 0; i < most_steps; ++i, n += 1, step = unit) {
    const double probability = fits(n, window, train, infer);
    gain += step * probability;
    if (probability < 1e-4) break;
  }
  return gain;
}

AcquisitionValue concurrent(const Problem& problem, std::span<const Posterior> posteriors,
                            std::span<const size_t> choice, double feasible, double best) {
  const double batch = problem.candidates->batch(1, choice[1]);
  double window = problem.window_ms(1, batch);
  const double cap = std::min(window, problem.roles[1].latency_ms - problem.wait_ms(1, batch));
  if (cap <= 0) return {0, 0, 0};
  const LogNormal train = time_of(posteriors[0], choice[0]),
                  infer = time_of(posteriors[1], choice[1]);
  const double in_time = probability_below(cap, infer.mean, infer.sd);
  if (problem.objective == Objective::power)
    return of_larger_power(problem, posteriors, choice, in_time, best);
  const double holds = feasible * in_time;
  window -= problem.lost_ms(choice);
  const double counts = problem.counts(problem.candidates->batch(0, choice[0]));
  const double unit =
      problem.objective == Objective::throughput ? counts * problem.roles[1].rate_hz / batch : 1;
  const double n = minibatches_per_window(window, std::exp(infer.mean), std::exp(train.mean));
  AcquisitionValue acquisition{holds, -n * unit, 0};
  if (best != unlimited && holds > 1e-6)
    acquisition.gain = holds * expected_gain(unit, -best, window, train, infer);
  return acquisition;
}

AcquisitionValue two_inferences(const Problem& problem, std::span<const Posterior> posteriors,
                                std::span<const size_t> choice, double feasible, double best) {
  const LogNormal a = time_of(posteriors[0], choice[0]), b = time_of(posteriors[1], choice[1]);
  const double ta = std::exp(a.mean), tb = std::exp(b.mean), both = ta + tb;
  const LogNormal sum = {std::log(both), std::hypot(a.sd * ta, b.sd * tb) / both};
  const bool any_limit = std::ranges::any_of(
      problem.roles, [](const Role& role) { return role.latency_ms != unlimited; });
  double cap = unlimited, busy = 0, slope = 0, offset = 0;
  for (size_t role = 0; role < 2; ++role) {
    const Role& served = problem.roles[role];
    const double batch = problem.candidates->batch(role, choice[role]);
    const double wait = problem.wait_ms(role, batch);
    cap = std::min(cap, served.latency_ms - wait);
    busy += (role == 0 ? ta : tb) / problem.window_ms(role, batch);
    // As in outcome(): without a limit it has no share of one; where neither has, times are
    // compared.
    if (any_limit && served.latency_ms == unlimited) continue;
    const double share = any_limit ? 1 / served.latency_ms : 1;
    if ((wait + both) * share > (offset + both) * slope) slope = share, offset = wait;
  }
  if (cap <= 0) return {0, unlimited, 0};
  const double rate_holds = probability_below(1, std::log(busy), sum.sd);
  if (problem.objective == Objective::power)
    return of_larger_power(problem, posteriors, choice,
                           rate_holds * probability_below(cap, sum.mean, sum.sd), best);
  if (problem.objective == Objective::time)
    return of_log_normal(feasible * rate_holds, best, sum, cap, 0);
  AcquisitionValue acquisition = of_log_normal(
      feasible * rate_holds, best == unlimited ? unlimited : best / slope, sum, cap, offset);
  acquisition.loss *= slope;
  acquisition.gain *= slope;
  return acquisition;
}

}  // namespace

Outlook::Outlook(const History& history, const SearchOptions& options) {
  std::vector<Posterior> posteriors;
  for (size_t role = 0; role < history.problem().roles.size(); ++role) {
    auto posterior = drawn_posterior_of(history, role, options);
    if (!posterior.ok()) return;
    posteriors.push_back(*std::move(posterior));
    chances_.push_back(trial_chances(history, role));
  }
  posteriors_ = std::move(posteriors);
}

AcquisitionValue Outlook::expect(const Problem& problem, std::span<const size_t> choice,
                                 double best) const {
  AcquisitionValue acquisition = acquisition_value(problem, posteriors_, choice, best);
  const double chance = chance_of(choice, chances_);
  acquisition.feasible *= chance;
  acquisition.gain *= chance;
  return acquisition;
}

double probability_below(double limit, double log_mean, double sd) {
  if (limit == unlimited) return 1;
  if (limit <= 0) return 0;
  const double distance = std::log(limit) - log_mean;
  if (sd <= 0) return distance >= 0 ? 1 : 0;
  return normal_cdf(distance / sd);
}

double expected_improvement(double best, double cap, double log_mean, double sd) {
  const double limit = std::min(best, cap);
  if (limit <= 0) return 0;
  if (sd <= 0) {
    const double value = std::exp(log_mean);
    return value <= limit ? best - value : 0;
  }
  const double z = (std::log(limit) - log_mean) / sd;
  return std::max(0.0,
                  best * normal_cdf(z) - std::exp(log_mean + sd * sd / 2) * normal_cdf(z - sd));
}

AcquisitionValue acquisition_value(const Problem& problem, std::span<const Posterior> posteriors,
                                   std::span<const size_t> choice, double best) {
  const double feasible = power_probability(problem, posteriors, choice);
  if (problem.concurrent()) return concurrent(problem, posteriors, choice, feasible, best);
  if (choice.size() == 2) return two_inferences(problem, posteriors, choice, feasible, best);
  if (problem.roles[0].serves())
    return inference(problem, posteriors[0], choice[0], feasible, best);
  return training(problem, posteriors[0], choice[0], feasible, best);
}

}  // namespace flyball
