#include "evaluate/budget_choice.h"

#include <algorithm>
#include <cmath>

namespace flyball {
namespace {

constexpr double z90 = 1.6448536269514722;  // the 95 % quantile: half of a 90 % interval

// Quantile of the standard normal (Acklam's approximation is more than needed here): bisection.
double normal_quantile(double probability) {
  double low = -8, high = 8;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

std::optional<size_t> choose_within(const Beliefs& beliefs, double budget_w, double confidence) {
  const double margin = confidence == 0.5 ? 0 : normal_quantile(confidence) / z90;
  std::optional<size_t> best;
  for (size_t i = 0; i < beliefs.time.size(); ++i) {
    const double power =
        beliefs.measured[i] ? beliefs.power[i] : beliefs.power[i] + margin * beliefs.power_above[i];
    if (!(power <= budget_w)) continue;
    if (!best || beliefs.time[i] < beliefs.time[*best] ||
        (beliefs.time[i] == beliefs.time[*best] && beliefs.power[i] < beliefs.power[*best]))
      best = i;
  }
  return best;
}

namespace {

constexpr double least_gain = 1e-3;  // of the time: less is not worth a reading
constexpr double shared = 0.5;  // of a reading's surprise that the other rows share (log scale)

double keeps(const Beliefs& beliefs, size_t i, double budget_w) {
  const double sd = std::max(beliefs.power_above[i] / z90, 1e-9);
  return std::erfc((beliefs.power[i] - budget_w) / (sd * std::sqrt(2.0))) / 2;
}

// The unmeasured row with the highest expected gain over the fastest measured one in the budget.
std::optional<size_t> most_promising(const Beliefs& beliefs, double budget_w,
                                     std::optional<size_t> incumbent) {
  // Without a measured answer any is a gain; the safer, the better.
  double slowest = 0;
  for (double time : beliefs.time) slowest = std::max(slowest, time);
  const double now = incumbent ? beliefs.time[*incumbent] : 2 * slowest;
  std::optional<size_t> best;
  double most = least_gain;
  for (size_t i = 0; i < beliefs.time.size(); ++i) {
    if (beliefs.measured[i] || beliefs.time[i] >= now) continue;
    const double gain = (1 - beliefs.time[i] / now) * keeps(beliefs, i, budget_w);
    if (gain <= most) continue;
    most = gain;
    best = i;
  }
  return best;
}

std::optional<size_t> fastest_measured(const Beliefs& beliefs, double budget_w) {
  std::optional<size_t> best;
  for (size_t i = 0; i < beliefs.time.size(); ++i)
    if (beliefs.measured[i] && beliefs.power[i] <= budget_w &&
        (!best || beliefs.time[i] < beliefs.time[*best]))
      best = i;
  return best;
}

}  // namespace

BudgetChoice choose_verified(Beliefs beliefs, double budget_w, size_t profiles,
                             std::span<const double> true_time,
                             std::span<const double> true_power) {
  BudgetChoice answer;
  answer.config = fastest_measured(beliefs, budget_w);
  while (answer.extra_profiles < profiles) {
    const auto choice = most_promising(beliefs, budget_w, answer.config);
    if (!choice) break;
    ++answer.extra_profiles;
    const double surprise = std::pow(true_power[*choice] / beliefs.power[*choice], shared);
    for (size_t i = 0; i < beliefs.power.size(); ++i)
      if (!beliefs.measured[i]) beliefs.power[i] *= surprise;
    beliefs.time[*choice] = true_time[*choice];
    beliefs.power[*choice] = true_power[*choice];
    beliefs.measured[*choice] = true;
    answer.config = fastest_measured(beliefs, budget_w);
  }
  return answer;
}

}  // namespace flyball
