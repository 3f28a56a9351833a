// Why a problem has no feasible choice, in words that say what to change.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "problem/choices.h"
#include "problem/exact.h"

namespace flyball {
namespace {

/// Least value of one constrained quantity when its own limit is lifted and the others hold.
double least(const Problem& problem, const Readings& readings,
             double (*value)(const Problem&, const Readings&, std::span<const size_t>)) {
  double found = unlimited;
  for_each_choice(problem, [&](std::span<const size_t> choice) {
    if (outcome_of(problem, readings, choice).feasible)
      found = std::min(found, value(problem, readings, choice));
  });
  return found;
}

double power_of(const Problem&, const Readings& readings, std::span<const size_t> choice) {
  double power = 0;
  for (size_t role = 0; role < choice.size(); ++role) {
    const double own = readings[role][choice[role]].power_w;
    power = std::isnan(own) ? unlimited : std::max(power, own);
  }
  return power;
}

double time_of(const Problem& problem, const Readings& readings, std::span<const size_t> choice) {
  const double batch = problem.per_sample ? problem.candidates->batch(0, choice[0]) : 1;
  return readings[0][choice[0]].minibatch_ms / batch;
}

double energy_of(const Problem& problem, const Readings& readings, std::span<const size_t> choice) {
  const double power = readings[0][choice[0]].power_w;
  return std::isnan(power) ? unlimited : power * time_of(problem, readings, choice) * 1e-3;
}

/// Peak latency of the last role (of the slower one for two inferences).
double latency_of(const Problem& problem, const Readings& readings,
                  std::span<const size_t> choice) {
  double longest = 0, served = 0;
  for (size_t role = 0; role < choice.size(); ++role)
    if (problem.roles[role].serves()) served += readings[role][choice[role]].minibatch_ms;
  for (size_t role = 0; role < choice.size(); ++role)
    if (problem.roles[role].serves())
      longest = std::max(longest, 1e3 * problem.candidates->batch(role, choice[role]) /
                                          problem.roles[role].rate_hz +
                                      served);
  return longest;
}

/// Highest arrival rate at or below the asked one that some choice sustains within the budgets.
double sustained_rate(const Problem& problem, const Readings& readings) {
  const size_t role = problem.roles.size() - 1;
  const double asked = problem.roles[role].rate_hz;
  double highest = 0;
  Problem slower = problem;
  for_each_choice(problem, [&](std::span<const size_t> choice) {
    const double time = readings[role][choice[role]].minibatch_ms;
    const double batch = problem.candidates->batch(role, choice[role]);
    // One part in a billion below the limit, so that rounding does not push it over.
    slower.roles[role].rate_hz = std::min(asked, (1 - 1e-9) * 1e3 * batch / time);
    if (slower.roles[role].rate_hz > highest && outcome_of(slower, readings, choice).feasible)
      highest = slower.roles[role].rate_hz;
  });
  return highest;
}

struct Remedies {
  std::vector<std::string> binding, remedies;

  void offer(const std::string& what, const std::string& remedy) {
    binding.push_back(what);
    remedies.push_back(remedy);
  }
};

void try_budget(const Problem& problem, const Readings& readings, Remedies& remedies,
                double Budgets::*budget, const char* name, const char* unit,
                double (*value)(const Problem&, const Readings&, std::span<const size_t>)) {
  const double limit = problem.budgets.*budget;
  if (limit == unlimited) return;
  Problem relaxed = problem;
  relaxed.budgets.*budget = unlimited;
  const double needed = least(relaxed, readings, value);
  if (needed == unlimited) return;
  remedies.offer(fmt::format("the {} budget of {:.5g} {}", name, limit, unit),
                 fmt::format("{:.5g} {} of {} would do", needed, unit, name));
}

void try_service(const Problem& problem, const Readings& readings, Remedies& remedies) {
  if (!problem.roles.back().serves()) return;
  Problem relaxed = problem;
  for (Role& role : relaxed.roles) role.latency_ms = unlimited;
  const double needed = least(relaxed, readings, latency_of);
  if (needed != unlimited && problem.roles.back().latency_ms != unlimited)
    remedies.offer(fmt::format("the latency budget of {:.5g} ms", problem.roles.back().latency_ms),
                   fmt::format("a latency of {:.5g} ms would do", needed));
  const double rate = sustained_rate(problem, readings);
  if (rate > 0)
    remedies.offer(fmt::format("the arrival rate of {:g}/s", problem.roles.back().rate_hz),
                   fmt::format("{:.4g} requests/s would be sustained", rate));
}

}  // namespace

Error infeasible_error(const Problem& problem, const Readings& readings) {
  Remedies found;
  try_budget(problem, readings, found, &Budgets::power_w, "power", "W", power_of);
  try_budget(problem, readings, found, &Budgets::time_ms, "time", "ms", time_of);
  try_budget(problem, readings, found, &Budgets::energy_j, "energy", "J", energy_of);
  try_service(problem, readings, found);
  if (!found.binding.empty())
    return {Code::infeasible,
            "no configuration meets all budgets; what binds: " + join(found.binding, ", or "),
            "any one of: " + join(found.remedies, "; ")};
  const Choice nearest = solve(problem, readings);
  const Constraint worst = nearest.outcome.tightest;
  return {Code::infeasible,
          fmt::format("no configuration meets all budgets, and easing one alone does not help; the "
                      "nearest misses {} by {:.3g} %",
                      constraint_name(worst), 100 * nearest.outcome.overshoot),
          "ease several budgets together"};
}

}  // namespace flyball
