#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/figure.h"
#include "base/text.h"
#include "problem/problem.h"

namespace flyball {
namespace {

Status positive(const char* what, double value, const char* unit) {
  if (value > 0) return {};
  return Error{Code::invalid_argument, fmt::format("the {} is {} {}", what, value, unit),
               "it must be above zero"};
}

/// The requests of a batch must at least arrive within the latency budget.
Status latency_can_be_met(const Problem& problem, size_t r) {
  const Role& role = problem.roles[r];
  const double smallest = problem.candidates->batches(r).front();
  const double arrives_ms = problem.wait_ms(r, smallest);
  if (arrives_ms < role.latency_ms) return {};
  return Error{
      Code::infeasible,
      fmt::format("the latency budget of {} ms binds: at {} requests/s a batch of "
                  "{} alone takes {} ms to arrive",
                  as_typed(role.latency_ms), as_typed(role.rate_hz), as_typed(smallest),
                  number(arrives_ms, 4)),
      fmt::format("allow more than {} ms, or offer smaller batch sizes", upper_figure(arrives_ms))};
}

Status check_role(const Problem& problem, size_t r, bool whole_batches) {
  const Role& role = problem.roles[r];
  if (role.phase == Phase::infer && !role.serves() && !role.offline)
    return Error{
        Code::invalid_argument,
        fmt::format("the arrival rate of {} is {:g} requests/s", role.workload, role.rate_hz),
        "it must be above zero: --rate says how many requests arrive in a second"};
  if (!std::isfinite(role.rate_hz) || role.rate_hz < 0)
    return Error{Code::invalid_argument, fmt::format("the arrival rate is {:g}", role.rate_hz),
                 "give a finite number of requests per second"};
  if (!role.serves()) return {};
  FLYBALL_CHECK(positive("latency budget", role.latency_ms, "ms"));
  return whole_batches ? latency_can_be_met(problem, r) : Status();
}

/// Time and energy per minibatch are bounded for a training alone: what a service may take is its
/// latency.
Status budgets_fit(const Problem& problem) {
  if (std::ranges::none_of(problem.roles, &Role::serves)) return {};
  for (const auto& [what, limit, instead] :
       {std::tuple{"time", problem.budgets.time_ms, "bound the latency of its requests"},
        std::tuple{"energy", problem.budgets.energy_j, "bound the power"}})
    if (limit != unlimited)
      return Error{Code::invalid_argument,
                   fmt::format("the {} budget bounds nothing where requests are served", what),
                   fmt::format("leave it out, or {}", instead)};
  return {};
}

/// A slowdown is one of a single workload against its default.
Status slowdown_fits(const Problem& problem) {
  if (problem.budgets.slowdown == unlimited) return {};
  if (problem.roles.size() > 1)
    return Error{Code::invalid_argument, "two roles have no slowdown in common",
                 "leave the limit out, or bound the latency of the requests"};
  if (problem.usual) return {};
  return Error{Code::invalid_argument,
               "a slowdown is against the default, and there is none among what is chosen from",
               "offer the default as well, or give a time budget"};
}

/// The objectives that docs/problems.md has an equation for.
std::vector<Objective> objectives_of(const Problem& problem) {
  using enum Objective;
  if (problem.concurrent()) return {throughput, minibatches, power};
  if (problem.roles.size() == 2) return {latency, time, power};
  if (problem.roles[0].serves()) return {latency, time, energy, power};
  return {time, energy, power};
}

Status objective_fits(const Problem& problem) {
  const auto known = objectives_of(problem);
  if (std::ranges::find(known, problem.objective) != known.end()) return {};
  std::vector<std::string> names;
  for (const Objective objective : known) names.emplace_back(objective_name(objective));
  const char* what = problem.concurrent()        ? "a training beside an inference"
                     : problem.roles.size() == 2 ? "two inferences"
                     : problem.roles[0].serves() ? "an inference"
                     : problem.roles[0].offline  ? "an inference without arrivals"
                                                 : "a training";
  return Error{
      Code::invalid_argument,
      fmt::format("objective '{}' has no meaning for {}", objective_name(problem.objective), what),
      "one of: " + join(names, ", ")};
}

}  // namespace

Status validate(const Problem& problem, bool whole_batches) {
  if (!problem.candidates || problem.candidates->roles() != problem.roles.size())
    return Error{Code::internal, "each role needs its candidates", ""};
  FLYBALL_CHECK(positive("power budget", problem.budgets.power_w, "W"));
  FLYBALL_CHECK(positive("time budget", problem.budgets.time_ms, "ms"));
  FLYBALL_CHECK(positive("energy budget", problem.budgets.energy_j, "J"));
  if (!std::isfinite(problem.switch_ms) || problem.switch_ms < 0)
    return Error{Code::invalid_argument,
                 fmt::format("changing the mode takes {:g} ms", problem.switch_ms),
                 "give a switch cost of zero or more, such as 200ms"};
  if (!std::isfinite(problem.switch_j) || problem.switch_j < 0)
    return Error{Code::invalid_argument,
                 fmt::format("changing the mode takes {:g} J", problem.switch_j),
                 "give a switch energy of zero or more, such as 5J"};
  FLYBALL_CHECK(slowdown_fits(problem));
  for (size_t r = 0; r < problem.roles.size(); ++r)
    FLYBALL_CHECK(check_role(problem, r, whole_batches));
  if (problem.roles.size() == 2 && !problem.roles[1].serves())
    return Error{Code::invalid_argument, "two trainings cannot share a board in turns here",
                 "give a training and an inference, or two inferences"};
  FLYBALL_CHECK(budgets_fit(problem));
  return objective_fits(problem);
}

}  // namespace flyball
