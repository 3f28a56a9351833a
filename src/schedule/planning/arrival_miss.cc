#include "schedule/planning/arrival_miss.h"

#include <fmt/format.h>

#include <cmath>

#include "answers/request.h"

namespace flyball {
namespace {

std::string words_of(const Problem& problem, std::span<const size_t> choice) {
  const size_t last = problem.roles.size() - 1;  // a service
  const Candidates& all = *problem.candidates;
  const Trial trial = all.space(last).trial(choice[last], "", Phase::infer);
  const std::string batches = fmt::format("batches up to {:g}", all.batch(last, choice[last]));
  return trial.mode.values.empty() ? batches : describe(trial.mode.values) + ", " + batches;
}

// Rounded up: what is told must do.
double rounded_up(double value, double step) {
  return std::ceil(value / step - 1e-9) * step;
}

Advice advice_on(Constraint limit, double value, const std::string& workload) {
  const LimitFlag flag = limit_flag(limit);
  return {flag.flag, value / flag.scale, flag.unit, Provenance::simulated, workload};
}

void tell_power(const EnoughPower& enough, const Problem& problem, double power_w,
                Refusal& refusal) {
  const double needed_w = rounded_up(enough.power_w, 0.1);
  refusal.why_not.message +=
      fmt::format(": as simulated it takes {:.1f} W ({}), and {:g} W are allowed", needed_w,
                  words_of(problem, enough.choice), power_w);
  refusal.why_not.hint =
      fmt::format("allow --power-budget {:.1f}W, more latency or a lower --percentile", needed_w);
  refusal.relaxation.push_back(advice_on(Constraint::power, needed_w, ""));
}

void tell_nearest(const NearestChoice& nearest, std::optional<double> enough_ms,
                  const Problem& problem, double percentile, Refusal& refusal) {
  const std::string service = role_name(problem, nearest.role);
  Error& why = refusal.why_not;
  why.message += fmt::format(": the nearest ({}) answers {:.3g} %",
                             words_of(problem, nearest.choice), 100 * (1 - nearest.late_share));
  if (nearest.latency_ms > nearest.budget_ms)
    why.message += fmt::format(
        "; if none were refused, {:g} % of those of {} would be answered within {:.4g} ms, as "
        "simulated, and {:g} ms are allowed",
        percentile, service, rounded_up(nearest.latency_ms, 0.1), nearest.budget_ms);
  why.hint = "allow more latency or a lower --percentile, or serve fewer requests";
  if (!enough_ms) return;
  const bool two = problem.roles.front().serves() && problem.roles.size() == 2;
  std::string latencies;  // as they are typed
  for (size_t role = 0; role < problem.roles.size(); ++role)
    if (problem.roles[role].serves())
      latencies += fmt::format(" {:g}ms",
                               role == nearest.role ? *enough_ms : problem.roles[role].latency_ms);
  why.hint =
      fmt::format("allow --latency{}, a lower --percentile, or serve fewer requests", latencies);
  refusal.relaxation.push_back(advice_on(Constraint::latency, *enough_ms, two ? service : ""));
}

}  // namespace

Refusal no_arrival_plan(ArrivalPlanner& planner, const Problem& problem, double percentile,
                        double power_w) {
  const Refusal interrupted{{Code::interrupted, "interrupted", ""}, {}};
  Refusal refusal{
      {Code::infeasible,
       fmt::format("no choice answers {:g} % of these requests within the limits", percentile),
       "allow more latency or power, or a lower --percentile"},
      {}};
  const auto enough = planner.least_power(power_w);
  if (planner.stopped()) return interrupted;
  if (enough) {
    tell_power(*enough, problem, power_w, refusal);
  } else if (const auto nearest = planner.nearest(power_w)) {
    tell_nearest(*nearest, planner.enough_latency_ms(*nearest), problem, percentile, refusal);
  } else if (const double load = planner.least_load(); load >= 1) {
    refusal.why_not.message += fmt::format(
        ": they come faster than they can be answered; in the fastest choice they take {:.3g} "
        "times the time that there is",
        load);
    refusal.why_not.hint = "serve fewer requests, or a lighter network";
  }
  return planner.stopped() ? interrupted : refusal;
}

}  // namespace flyball
