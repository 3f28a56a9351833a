#include "schedule/replanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace flyball {
namespace {

constexpr double rate_step = 1.02;  // rates nearer than this share a plan

}  // namespace

Replanner::Replanner(LiveProblem live, ReplanOptions options)
    : live_(live), options_(options), watch_(options.watch) {}

ArrivalPlanner& Replanner::planner(double rate_hz) {
  const double planned = rate_hz * options_.margin;
  const int key = static_cast<int>(std::ceil(std::log(planned) / std::log(rate_step)));
  const auto known = planners_.find(key);
  if (known != planners_.end()) return known->second;
  ArrivalSpec arrivals;
  arrivals.kind = ArrivalKind::poisson;
  arrivals.rate_hz = std::pow(rate_step, key);
  ArrivalPlanOptions plan;
  plan.percentile = options_.percentile;
  plan.requests = options_.requests;
  plan.seed = options_.seed;
  return planners_.emplace(key, ArrivalPlanner(live_, {arrivals}, plan)).first->second;
}

std::optional<SimulatedChoice> Replanner::plan_for(double rate_hz) {
  return planner(rate_hz).plan(live_.problem->budgets.power_w);
}

void Replanner::begin(double rate_hz, std::vector<size_t> choice, int64_t now_ns) {
  watch_.expect(rate_hz, now_ns);
  choice_ = std::move(choice);
}

bool Replanner::worth_it(const SimulatedChoice& present, const SimulatedChoice& next) const {
  const double budget_w = live_.problem->budgets.power_w;
  if (budget_w != unlimited && !(power_of(*live_.readings, present.choice) <= budget_w))
    return true;
  if (present.late_share > 1 - options_.percentile / 100) return true;
  const double gained = (next.trainings_per_s - present.trainings_per_s) *
                        std::max(0.0, options_.horizon_s - live_.problem->switch_ms * 1e-3);
  return gained > present.trainings_per_s * live_.problem->switch_ms * 1e-3;
}

std::optional<PlanChange> Replanner::change_to(double rate_hz, std::string why) {
  ArrivalPlanner& plans = planner(rate_hz);
  const auto next = plans.plan(live_.problem->budgets.power_w);
  if (!next || next->choice == choice_) return std::nullopt;
  const Candidates& all = *live_.problem->candidates;
  const bool switches = all.mode_of(0, next->choice[0]) != all.mode_of(0, choice_[0]);
  if (switches && !worth_it(plans.simulated(choice_), *next)) return std::nullopt;
  choice_ = next->choice;
  const size_t role = live_.serving_role();
  return PlanChange{live_.plan(choice_),
                    {.why = std::move(why),
                     .rate_hz = rate_hz,
                     .batch = static_cast<int64_t>(all.batch(role, choice_[role]))}};
}

std::optional<PlanChange> Replanner::look(int64_t now_ns) {
  watch_.look(now_ns);
  const double rate_hz = watch_.take_change();
  if (!(rate_hz > 0)) return std::nullopt;
  return change_to(rate_hz, fmt::format("{:.3g} requests/s arrive", rate_hz));
}

}  // namespace flyball
