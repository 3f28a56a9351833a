// The exact solution of a problem whose every candidate has been measured.
#pragma once

#include <optional>
#include <vector>

#include "problem/problem.h"
#include "space/table.h"

namespace flyball {

/// Readings of every candidate, [role][candidate].
using Readings = std::vector<std::vector<Reading>>;

/// One candidate for each role, and what it amounts to.
struct Choice {
  std::vector<size_t> candidates;
  Outcome outcome;
};

/// The tables' readings of the candidates, one table for each role; repeats are merged to the
/// medians of those that are known best. A candidate that the table lacks is an error.
Result<Readings> readings_of(const Candidates& candidates,
                             std::span<const WorkloadTable* const> tables);

/// The same where the tables are of some candidates alone: NaN of those that they lack.
Result<Readings> readings_there_are(const Candidates& candidates,
                                    std::span<const WorkloadTable* const> tables);

/// The problem with the time of its default by these readings.
Problem with_usual(Problem problem, const Readings& readings);

/// Outcome of one candidate for each role.
Outcome outcome_of(const Problem& problem, const Readings& readings,
                   std::span<const size_t> choice);

/// Power of a choice, the largest of its roles, W; NaN where one is not known.
double power_of(const Readings& readings, std::span<const size_t> choice);
/// Peak latency of a serving role, ms: its batch gathers and may wait for that of another service.
double latency_of(const Problem& problem, const Readings& readings, size_t role,
                  std::span<const size_t> choice);
/// As of the problem's readings (problem.h), of a choice.
double serving_load(const Problem& problem, const Readings& readings,
                    std::span<const size_t> choice, std::optional<size_t> but = {});
/// The arrival rate at which a serving role takes all the time that another service leaves, 1/s.
double sustained_rate(const Problem& problem, const Readings& readings, size_t role,
                      std::span<const size_t> choice);

/// The best choice; when it is not feasible, the one nearest to being so. O(choices).
Choice solve(const Problem& problem, const Readings& readings);

/// The limit itself, to be changed: a budget, or the latency or arrival rate of a role.
double& limit_of(Problem& problem, Constraint constraint, size_t role);

/// The least by which one limit alone has to give way, and the choice that then meets all others.
struct Relaxation {
  Constraint constraint = Constraint::none;
  size_t role = 0;  ///< whose latency or arrival rate
  double limit = 0, needed = 0;
  std::vector<size_t> choice;
};

/// For each limit that can be relaxed so that some choice is feasible; in the order power, time,
/// energy, slowdown, then latency and arrival rate by role. O(limits × choices).
std::vector<Relaxation> relaxations(const Problem& problem, const Readings& readings);

/// Why there is no feasible choice: which constraint binds and the nearest value that can be met.
Error infeasible_error(const Problem& problem, const Readings& readings);

}  // namespace flyball
