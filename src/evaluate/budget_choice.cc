#include "evaluate/budget_choice.h"

#include "base/distributions.h"
#include "problem/problem.h"
#include "search/registry.h"
#include "search/run.h"

namespace flyball {
std::optional<size_t> choose_within(const Posteriors& posteriors, double budget_w,
                                    double confidence) {
  const double margin = confidence == 0.5 ? 0 : normal_quantile(confidence) / z90;
  std::optional<size_t> best;
  for (size_t i = 0; i < posteriors.time.size(); ++i) {
    const double power = posteriors.measured[i]
                             ? posteriors.power[i]
                             : posteriors.power[i] + margin * posteriors.power_above[i];
    if (!holds(power, budget_w)) continue;
    if (!best || posteriors.time[i] < posteriors.time[*best] ||
        (posteriors.time[i] == posteriors.time[*best] &&
         posteriors.power[i] < posteriors.power[*best]))
      best = i;
  }
  return best;
}

BudgetChoice search_within(const BudgetSearch& ground, double budget_w) {
  auto problem = std::make_shared<Problem>();
  problem->candidates = ground.candidates;
  problem->roles = {ground.role};
  problem->roles[0].offline = ground.role.phase == Phase::infer;
  problem->per_sample = ground.candidates->batches(0).size() > 1;
  problem->budgets.power_w = budget_w;
  const auto strategy = make_strategy("flyball", std::move(problem), ground.options);
  if (!strategy.ok()) return {};
  const auto answer = run_search(**strategy, ground.readings);
  return {answer.ok() ? std::optional(answer->choice[0]) : std::nullopt,
          (*strategy)->history().profiles()};
}

}  // namespace flyball
