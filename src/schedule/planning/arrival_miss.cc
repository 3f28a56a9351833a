#include "schedule/planning/arrival_miss.h"

#include <fmt/format.h>

#include "answers/request.h"
#include "base/figure.h"
#include "base/text.h"

namespace flyball {
namespace {

std::string words_of(const Problem& problem, std::span<const size_t> choice) {
  const size_t last = problem.roles.size() - 1;  // a service
  const Candidates& all = *problem.candidates;
  const Trial trial = all.space(last).trial(choice[last], "", Phase::infer);
  const std::string batches = fmt::format("batches up to {:g}", all.batch(last, choice[last]));
  return trial.mode.values.empty() ? batches : describe(trial.mode.values) + ", " + batches;
}

Advice advice_on(Constraint limit, double value, const std::string& workload) {
  const LimitFlag flag = limit_flag(limit);
  return {flag.flag, value / flag.scale, flag.unit, Provenance::simulated, workload};
}

/// The latency budgets as they are typed: one value for each service, or one for all.
std::string latencies_text(const Problem& problem, const EnoughLatency& enough) {
  if (!enough.role) return fmt::format("--latency {:g}ms", enough.latency_ms);
  std::string text = "--latency";
  for (size_t role = 0; role < problem.roles.size(); ++role)
    if (problem.roles[role].serves())
      text += fmt::format(
          " {:g}ms", role == *enough.role ? enough.latency_ms : problem.roles[role].latency_ms);
  return text;
}

/// Of each service alone, else of all of them.
std::vector<EnoughLatency> latencies_that_do(const ArrivalPlanner& planner, const Problem& problem,
                                             double power_w) {
  std::vector<EnoughLatency> all;
  size_t services = 0;
  for (size_t role = 0; role < problem.roles.size(); ++role) {
    if (!problem.roles[role].serves()) continue;
    ++services;
    if (auto enough = planner.least_latency(power_w, role)) all.push_back(std::move(*enough));
  }
  if (all.empty() && services > 1)
    if (auto enough = planner.least_latency(power_w, {})) all.push_back(std::move(*enough));
  return all;
}

void tell_nearest(const NearestChoice& nearest, const Problem& problem, Error& why) {
  why.message += fmt::format(": the nearest ({}) answers {:.3g} %",
                             words_of(problem, nearest.choice), 100 * (1 - nearest.late_share));
}

void tell_load(double load, Error& why) {
  why.message += fmt::format(
      ": they come faster than they can be answered; in the fastest choice they take {:.3g} "
      "times the time that there is",
      load);
}

void advise_together(const EnoughLatency& enough, const Problem& problem, double power_w,
                     Error& why, std::vector<std::string>& remedies) {
  const double needed_w = rounded(enough.power_w, 3, true);
  why.message += fmt::format(
      "; easing one limit alone does not help: as simulated it takes {:g} W "
      "and a latency of {:g} ms together ({}), and {:g} W",
      needed_w, enough.latency_ms, words_of(problem, enough.choice), power_w);
  for (const Role& role : problem.roles)
    if (role.serves()) why.message += fmt::format(" and {:g} ms", role.latency_ms);
  why.message += " are allowed";
  remedies.push_back(fmt::format("--power-budget {:g}W and {} together", needed_w,
                                 latencies_text(problem, enough)));
}

}  // namespace

Refusal no_arrival_plan(ArrivalPlanner& planner, const Problem& problem, double percentile,
                        double power_w) {
  Refusal refusal{
      {Code::infeasible,
       fmt::format("no choice answers {:g} % of these requests within the limits", percentile), ""},
      {}};
  Error& why = refusal.why_not;
  std::vector<std::string> remedies;
  if (const auto enough = planner.least_power(power_w)) {
    const double needed_w = rounded(enough->power_w, 3, true);
    why.message += fmt::format(": as simulated it takes {:g} W ({}), and {:g} W are allowed",
                               needed_w, words_of(problem, enough->choice), power_w);
    remedies.push_back(fmt::format("--power-budget {:g}W", needed_w));
    refusal.relaxation.push_back(advice_on(Constraint::power, needed_w, ""));
  } else if (const auto nearest = planner.nearest(power_w)) {
    tell_nearest(*nearest, problem, why);
  } else if (const double load = planner.least_load(); load >= 1) {
    tell_load(load, why);
  }
  const bool two = problem.roles.front().serves() && problem.roles.size() == 2;
  for (const EnoughLatency& enough : latencies_that_do(planner, problem, power_w)) {
    remedies.push_back(latencies_text(problem, enough));
    refusal.relaxation.push_back(
        advice_on(Constraint::latency, enough.latency_ms,
                  two && enough.role ? role_name(problem, *enough.role) : ""));
  }
  if (remedies.empty())
    if (const auto enough = planner.least_together(power_w))
      advise_together(*enough, problem, power_w, why, remedies);
  if (planner.stopped()) return {{Code::interrupted, "interrupted", ""}, {}};
  why.hint = remedies.empty() ? "serve fewer requests, or a lighter network"
                              : fmt::format(
                                    "allow {}, a lower --percentile, or serve fewer "
                                    "requests",
                                    join(remedies, ", or "));
  return refusal;
}

}  // namespace flyball
