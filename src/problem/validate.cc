#include <fmt/format.h>

#include <cmath>

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
  const double arrives_ms = 1e3 * smallest / role.rate_hz;
  if (arrives_ms < role.latency_ms) return {};
  return Error{Code::infeasible,
               fmt::format("the latency budget of {:.4g} ms binds: at {:g} requests/s a batch of "
                           "{:g} alone takes {:.4g} ms to arrive",
                           role.latency_ms, role.rate_hz, smallest, arrives_ms),
               fmt::format("allow more than {:.4g} ms, or offer smaller batch sizes", arrives_ms)};
}

Status check_role(const Problem& problem, size_t r) {
  const Role& role = problem.roles[r];
  if (role.phase == Phase::infer && !role.serves())
    return Error{
        Code::invalid_argument,
        fmt::format("the arrival rate of {} is {:g} requests/s", role.workload, role.rate_hz),
        "it must be above zero"};
  if (!std::isfinite(role.rate_hz) || role.rate_hz < 0)
    return Error{Code::invalid_argument, fmt::format("the arrival rate is {:g}", role.rate_hz),
                 "give a finite number of requests per second"};
  if (!role.serves()) return {};
  FLYBALL_CHECK(positive("latency budget", role.latency_ms, "ms"));
  return latency_can_be_met(problem, r);
}

}  // namespace

Status validate(const Problem& problem) {
  if (!problem.candidates || problem.candidates->roles() != problem.roles.size())
    return Error{Code::internal, "each role needs its candidates", ""};
  FLYBALL_CHECK(positive("power budget", problem.budgets.power_w, "W"));
  FLYBALL_CHECK(positive("time budget", problem.budgets.time_ms, "ms"));
  FLYBALL_CHECK(positive("energy budget", problem.budgets.energy_j, "J"));
  for (size_t r = 0; r < problem.roles.size(); ++r) FLYBALL_CHECK(check_role(problem, r));
  if (problem.roles.size() == 2 && !problem.roles[1].serves())
    return Error{Code::invalid_argument, "two trainings cannot share a board in turns here",
                 "give a training and an inference, or two inferences"};
  const bool counts =
      problem.objective == Objective::throughput || problem.objective == Objective::minibatches;
  if (counts && !problem.concurrent())
    return Error{Code::invalid_argument,
                 fmt::format("objective '{}' needs a training beside an inference",
                             objective_name(problem.objective)),
                 "use time, energy, power or latency"};
  if (problem.objective == Objective::latency && !problem.roles.back().serves())
    return Error{Code::invalid_argument, "objective 'latency' needs an arrival rate", "use time"};
  return {};
}

}  // namespace flyball
