#include "schedule/planning/replanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/figure.h"

namespace flyball {
namespace {

constexpr double rate_step = 1.02;  // rates nearer than this share a plan

}  // namespace

Replanner::Replanner(ServingProblem live, ReplanOptions options)
    : live_(live), options_(std::move(options)) {
  for (const Role& role : live_.problem->roles)
    if (role.serves()) watches_.emplace_back(options_.watch);
}

ArrivalPlanner& Replanner::planner(std::span<const double> rates_hz) {
  std::vector<int> key;
  std::vector<ArrivalSpec> arrivals;
  for (const double rate_hz : rates_hz) {
    const double planned = rate_hz * options_.margin;
    key.push_back(static_cast<int>(std::ceil(std::log(planned) / std::log(rate_step))));
    arrivals.push_back(poisson_arrivals(std::pow(rate_step, key.back())));
  }
  const auto known = planners_.find(key);
  if (known != planners_.end()) return known->second;
  ArrivalPlanOptions plan;
  plan.percentile = options_.percentile;
  plan.requests = options_.requests;
  plan.seed = options_.seed;
  plan.allowed = options_.allowed;
  plan.stop = options_.stop;
  return planners_.emplace(key, ArrivalPlanner(live_, arrivals, plan)).first->second;
}

std::optional<SimulatedChoice> Replanner::plan_for(const std::vector<double>& rates_hz) {
  return planner(rates_hz).plan(live_.problem->budgets.power_w);
}

void Replanner::begin(std::span<const double> rates_hz, std::vector<size_t> choice,
                      int64_t now_ns) {
  for (size_t s = 0; s < watches_.size(); ++s) watches_[s].expect(rates_hz[s], now_ns);
  choice_ = std::move(choice);
}

std::vector<double> Replanner::rates_hz() const {
  std::vector<double> rates_hz;
  for (const RateWatch& watch : watches_) rates_hz.push_back(watch.rate_hz());
  return rates_hz;
}

bool Replanner::worth_it(const SimulatedChoice& present, const SimulatedChoice& next) const {
  const double budget_w = live_.problem->budgets.power_w;
  if (budget_w != unlimited && !holds(live_.power_w(present.choice), budget_w)) return true;
  if (present.late_share > 1 - options_.percentile / 100) return true;
  const double gained = (next.trained_per_s - present.trained_per_s) *
                        std::max(0.0, options_.horizon_s - live_.problem->switch_ms * 1e-3);
  return gained > present.trained_per_s * live_.problem->switch_ms * 1e-3;
}

PlanChange Replanner::change_of(const SimulatedChoice& choice, std::span<const double> rates_hz,
                                std::string why) const {
  const Candidates& all = *live_.problem->candidates;
  const size_t role = live_.serving_role();
  PlanChange change;
  change.plan = live_.plan(choice.choice);
  if (change.plan.trainings.size() == 1)
    change.plan.trainings_per_s.assign(1, choice.trainings_per_s);
  change.why = {.why = std::move(why),
                .rate_hz = std::accumulate(rates_hz.begin(), rates_hz.end(), 0.0),
                .batch = static_cast<int64_t>(all.batch(role, choice.choice[role]))};
  return change;
}

std::optional<PlanChange> Replanner::change_to(const std::vector<double>& rates_hz,
                                               std::string why) {
  ArrivalPlanner& plans = planner(rates_hz);
  const auto next = plans.plan(live_.problem->budgets.power_w);
  if (!next || next->choice == choice_) return std::nullopt;
  const Candidates& all = *live_.problem->candidates;
  const bool switches = all.mode_of(0, next->choice[0]) != all.mode_of(0, choice_[0]);
  if (switches && !worth_it(plans.simulated(choice_), *next)) return std::nullopt;
  choice_ = next->choice;
  return change_of(*next, rates_hz, std::move(why));
}

std::optional<PlanChange> Replanner::plan_again(const std::vector<double>& rates_hz,
                                                std::string why) {
  if (auto change = change_to(rates_hz, why)) return change;
  if (plan_for(rates_hz) || (options_.stop && *options_.stop)) return std::nullopt;
  return change_of(present(rates_hz), rates_hz, std::move(why) + nothing_keeps);
}

std::optional<std::string> Replanner::rates_changed(int64_t now_ns) {
  std::string why;
  size_t service = 0;
  for (const Role& role : live_.problem->roles) {
    if (!role.serves()) continue;
    RateWatch& watch = watches_[service++];
    watch.look(now_ns);
    const double rate_hz = watch.take_change();
    if (!(rate_hz > 0)) continue;
    why += fmt::format("{}{} requests/s arrive", why.empty() ? "" : ", ", number(rate_hz));
    if (watches_.size() > 1) why += " at " + role.workload;
  }
  return why.empty() ? std::nullopt : std::optional(std::move(why));
}

std::optional<PlanChange> Replanner::look(int64_t now_ns) {
  auto why = rates_changed(now_ns);
  if (!why) return std::nullopt;
  return plan_again(rates_hz(), *std::move(why));
}

}  // namespace flyball
