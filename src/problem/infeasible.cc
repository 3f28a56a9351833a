// Why a problem has no feasible choice, in words that say what to change.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/figure.h"
#include "base/text.h"
#include "problem/choices.h"
#include "problem/exact.h"
#include "problem/margins.h"
#include "problem/training_beside.h"
#include "problem/typed_limit.h"

namespace flyball {
namespace {

using Choosing = std::span<const size_t>;

double time_of(const Problem& problem, const Readings& readings, Choosing choice) {
  return readings[0][choice[0]].minibatch_ms /
         problem.counts(problem.candidates->batch(0, choice[0]));
}

/// A figure that is not known cannot be what would do.
double or_unlimited(double value) {
  return std::isnan(value) ? unlimited : value;
}

/// Feasible, and with any training where that is wanted?
bool would_do(const Problem& problem, const Readings& readings, Choosing choice, bool trains) {
  const Outcome outcome = outcome_of(problem, readings, choice);
  return outcome.feasible && (!trains || outcome.minibatches > 0);
}

/// Relaxes one limit of `relaxed`, in which it is lifted, as little as the readings allow.
template <class Value>
void relax(const Problem& relaxed, const Readings& readings, Relaxation relaxation,
           const Value& value, bool trains, std::vector<Relaxation>& found) {
  relaxation.needed = unlimited;
  for_each_choice(relaxed, [&](Choosing choice) {
    if (!would_do(relaxed, readings, choice, trains)) return;
    const double needed = value(choice);
    if (needed >= relaxation.needed) return;
    relaxation.needed = needed;
    relaxation.choice.assign(choice.begin(), choice.end());
  });
  if (relaxation.needed != unlimited) found.push_back(std::move(relaxation));
}

template <class Value>
void ease_limit(const Problem& problem, const Readings& readings, Constraint constraint,
                size_t role, const Value& value, bool trains, std::vector<Relaxation>& found) {
  Problem relaxed = problem;
  double& limit = limit_of(relaxed, constraint, role);
  if (limit == unlimited) return;
  const double asked = std::exchange(limit, unlimited);
  relax(relaxed, readings, {constraint, role, asked, 0, {}}, value, trains, found);
}

/// The highest arrival rate at or below the asked one that some choice sustains.
void ease_rate(const Problem& problem, const Readings& readings, size_t role, bool trains,
               std::vector<Relaxation>& found) {
  const double asked = problem.roles[role].rate_hz;
  Relaxation relaxation{Constraint::arrival_rate, role, asked, 0, {}};
  Problem slower = problem;
  for_each_choice(problem, [&](Choosing choice) {
    double sustained = sustained_rate(problem, readings, role, choice);
    if (trains) {  // one minibatch of it in each window, too
      const double infer = readings[role][choice[role]].minibatch_ms;
      sustained *= infer / (infer + readings[0][choice[0]].minibatch_ms + problem.lost_ms(choice));
    }
    // Where rounding pushes it over, one part in a billion less.
    for (const double share : {1.0, 1 - 1e-9}) {
      const double rate = std::min(asked, share * sustained);
      if (!(rate > relaxation.needed)) return;
      slower.roles[role].rate_hz = rate;
      if (!would_do(slower, readings, choice, trains)) continue;
      relaxation.needed = rate;
      relaxation.choice.assign(choice.begin(), choice.end());
    }
  });
  if (relaxation.needed > 0) found.push_back(std::move(relaxation));
}

/// "the latency budget of 55 ms", of whom where two are served.
std::string limit_text(const Problem& problem, const Relaxation& relaxation) {
  const std::string whose =
      problem.two_services() ? role_name(problem, relaxation.role) + "'s " : "the ";
  switch (relaxation.constraint) {
    case Constraint::slowdown:
      return fmt::format("the slowdown limit of {} %",
                         as_typed(percent_of_slowdown(relaxation.limit)));
    case Constraint::latency:
      return fmt::format("{}latency budget of {} ms", whose, as_typed(relaxation.limit));
    case Constraint::arrival_rate:
      return fmt::format("{}arrival rate of {}/s", whose, as_typed(relaxation.limit));
    default:
      return fmt::format("the {} budget of {} {}", constraint_name(relaxation.constraint),
                         as_typed(relaxation.limit), unit_of(problem, relaxation.constraint));
  }
}

/// A rate at which the choice still does: at a lower one a batch gathers for longer.
std::string rate_that_does(Problem problem, const Readings& readings, const Relaxation& relaxation,
                           bool trains) {
  const double needed = relaxation.needed * (1 + 1e-12);  // its last digit may be rounded off
  return as_typed(typed_limit(needed, 4, false, [&](double rate) {
    problem.roles[relaxation.role].rate_hz = rate;
    return would_do(problem, readings, relaxation.choice, trains);
  }));
}

std::string remedy_text(const Problem& problem, const Readings& readings,
                        const Relaxation& relaxation, bool trains) {
  const std::string whose =
      problem.two_services() ? " for " + role_name(problem, relaxation.role) : "";
  switch (relaxation.constraint) {
    case Constraint::slowdown:
      return fmt::format("a slowdown of {} % would do",
                         upper_figure(percent_of_slowdown(relaxation.needed), 5));
    case Constraint::latency:
      return fmt::format("a latency of {} ms{} would do", upper_figure(relaxation.needed, 5),
                         whose);
    case Constraint::arrival_rate:
      return fmt::format("{} requests/s{} would be sustained",
                         rate_that_does(problem, readings, relaxation, trains), whose);
    default:
      return fmt::format("{} {} of {} would do", upper_figure(relaxation.needed, 5),
                         unit_of(problem, relaxation.constraint),
                         constraint_name(relaxation.constraint));
  }
}

std::vector<Relaxation> relaxations_of(const Problem& problem, const Readings& readings,
                                       bool trains) {
  std::vector<Relaxation> found;
  ease_limit(
      problem, readings, Constraint::power, 0,
      [&](Choosing choice) { return or_unlimited(power_of(readings, choice)); }, trains, found);
  ease_limit(
      problem, readings, Constraint::time, 0,
      [&](Choosing choice) { return time_of(problem, readings, choice); }, trains, found);
  ease_limit(
      problem, readings, Constraint::energy, 0,
      [&](Choosing choice) {
        return or_unlimited(readings[0][choice[0]].power_w * time_of(problem, readings, choice) *
                            1e-3);
      },
      trains, found);
  ease_limit(
      problem, readings, Constraint::slowdown, 0,
      [&](Choosing choice) {
        return or_unlimited(problem.slowdown(readings[0][choice[0]].minibatch_ms, choice[0]));
      },
      trains, found);
  for (size_t role = 0; role < problem.roles.size(); ++role) {
    if (!problem.roles[role].serves()) continue;
    ease_limit(
        problem, readings, Constraint::latency, role,
        [&](Choosing choice) { return latency_of(problem, readings, role, choice); }, trains,
        found);
    ease_rate(problem, readings, role, trains, found);
  }
  return found;
}

}  // namespace

double& limit_of(Problem& problem, Constraint constraint, size_t role) {
  switch (constraint) {
    case Constraint::power:
      return problem.budgets.power_w;
    case Constraint::time:
      return problem.budgets.time_ms;
    case Constraint::energy:
      return problem.budgets.energy_j;
    case Constraint::slowdown:
      return problem.budgets.slowdown;
    case Constraint::latency:
      return problem.roles[role].latency_ms;
    default:
      return problem.roles[role].rate_hz;
  }
}

bool wants_training(const Problem& problem) {
  return problem.concurrent() && problem.objective != Objective::power;
}

std::vector<Relaxation> relaxations(const Problem& problem, const Readings& readings) {
  return relaxations_of(problem, readings, false);
}

std::vector<Relaxation> training_relaxations(const Problem& problem, const Readings& readings) {
  return relaxations_of(problem, readings, true);
}

Error infeasible_error(const Problem& problem, const Readings& readings) {
  std::vector<std::string> binding, remedies;
  std::vector<Relaxation> eased;
  const auto ease = [&](const Relaxation& relaxation, bool with_training, const char* remark) {
    const auto same = [&](const Relaxation& one) { return same_limit(one, relaxation); };
    if (std::ranges::any_of(eased, same)) return;
    eased.push_back(relaxation);
    binding.push_back(limit_text(problem, relaxation));
    remedies.push_back(remedy_text(problem, readings, relaxation, with_training) + remark);
  };
  const bool trains = wants_training(problem);
  if (trains)
    for (const Relaxation& one : training_relaxations(problem, readings)) ease(one, true, "");
  for (const Relaxation& one : relaxations(problem, readings))
    ease(one, false, trains ? ", with no training" : "");
  if (!binding.empty())
    return {Code::infeasible,
            "no configuration meets all budgets; what binds: " + join(binding, ", or "),
            "any one of: " + join(remedies, "; ")};
  const std::string missed =
      missed_text(margins_of(problem, readings, solve(problem, readings).candidates));
  return {Code::infeasible,
          "no configuration meets all budgets, and easing one alone does not help" +
              (missed.empty() ? "" : ": the nearest comes to " + missed),
          "ease several budgets together"};
}

}  // namespace flyball
