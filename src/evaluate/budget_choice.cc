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

BudgetChoice choose_verified(Beliefs beliefs, double budget_w, double confidence, size_t profiles,
                             std::span<const double> true_time,
                             std::span<const double> true_power) {
  BudgetChoice answer;
  while (answer.extra_profiles < profiles) {
    const bool last = answer.extra_profiles + 1 == profiles;
    const auto choice =
        choose_within(beliefs, budget_w, last ? std::max(confidence, 0.95) : confidence);
    if (!choice) break;
    if (beliefs.measured[*choice]) {
      answer.config = choice;
      return answer;
    }
    ++answer.extra_profiles;
    const double ratio = true_power[*choice] / beliefs.power[*choice];
    beliefs.time[*choice] = true_time[*choice];
    beliefs.power[*choice] = true_power[*choice];
    beliefs.measured[*choice] = true;
    if (true_power[*choice] <= budget_w) {
      answer.config = choice;
      return answer;
    }
    for (size_t i = 0; i < beliefs.power.size() && ratio > 1; ++i)
      if (!beliefs.measured[i]) beliefs.power[i] *= ratio;
  }
  for (size_t i = 0; i < beliefs.time.size(); ++i)
    if (beliefs.measured[i] && beliefs.power[i] <= budget_w &&
        (!answer.config || beliefs.time[i] < beliefs.time[*answer.config]))
      answer.config = i;
  return answer;
}

}  // namespace flyball
