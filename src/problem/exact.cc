#include "problem/exact.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/statistics.h"
#include "base/text.h"
#include "problem/choices.h"

namespace flyball {
namespace {

double median_of(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  return values.empty() ? not_measured : median(values);
}

double batch_of(const Problem& problem, size_t role, std::span<const size_t> choice) {
  return problem.candidates->batch(role, choice[role]);
}

/// Rows of the table that are this configuration (repeats share one).
Result<std::vector<std::vector<size_t>>> rows_of(const Space& space, const WorkloadTable& table) {
  std::vector<size_t> axes;
  for (const Axis& axis : space.axes()) {
    const auto found = table.space.axis_index(axis.name);
    if (!found)
      return Error{Code::invalid_argument,
                   fmt::format("{} has no axis '{}'", table.title(), axis.name), ""};
    axes.push_back(*found);
  }
  std::vector<std::vector<size_t>> rows(space.size());
  std::vector<double> row(axes.size());
  for (size_t i = 0; i < table.size(); ++i) {
    for (size_t d = 0; d < axes.size(); ++d) row[d] = table.space.row(i)[axes[d]];
    if (const auto candidate = space.find(row)) rows[*candidate].push_back(i);
  }
  return rows;
}

// Medians of the repeats that are known best; NaN of what the table lacks.
Reading reading_of_rows(const WorkloadTable& table, std::span<const size_t> rows) {
  if (rows.empty()) return {};
  std::vector<double> times, powers;
  for (size_t row : best_known(table, rows).rows) {
    times.push_back(table.minibatch_ms[row]);
    powers.push_back(table.power_w[row]);
  }
  return {median_of(std::move(times)), median_of(std::move(powers))};
}

Result<Readings> readings_in(const Candidates& candidates,
                             std::span<const WorkloadTable* const> tables, bool all_of_them) {
  Readings readings(candidates.roles());
  for (size_t role = 0; role < candidates.roles(); ++role) {
    const WorkloadTable& table = *tables[role];
    FLYBALL_ASSIGN(const auto rows, rows_of(candidates.space(role), table));
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].empty() && all_of_them)
        return Error{Code::not_found,
                     fmt::format("{} holds no row for {}", table.title(),
                                 describe(candidates.space(role).settings(i))),
                     "choose among the configurations of the table"};
      readings[role].push_back(reading_of_rows(table, rows[i]));
    }
  }
  return readings;
}

}  // namespace

Result<Readings> readings_of(const Candidates& candidates,
                             std::span<const WorkloadTable* const> tables) {
  return readings_in(candidates, tables, true);
}

Result<Readings> readings_there_are(const Candidates& candidates,
                                    std::span<const WorkloadTable* const> tables) {
  return readings_in(candidates, tables, false);
}

Problem with_usual(Problem problem, const Readings& readings) {
  if (problem.usual)
    problem.usual_ms =
        problem.compared_ms(readings[0][*problem.usual].minibatch_ms, *problem.usual);
  return problem;
}

Outcome outcome_of(const Problem& problem, const Readings& readings,
                   std::span<const size_t> choice) {
  std::array<Reading, 2> values;
  for (size_t role = 0; role < choice.size(); ++role) values[role] = readings[role][choice[role]];
  return outcome(problem, {values.data(), choice.size()}, choice);
}

double power_of(const Readings& readings, std::span<const size_t> choice) {
  double power = 0;
  for (size_t role = 0; role < choice.size(); ++role) {
    const double own = readings[role][choice[role]].power_w;
    if (std::isnan(own)) return not_measured;
    power = std::max(power, own);
  }
  return power;
}

double latency_of(const Problem& problem, const Readings& readings, size_t role,
                  std::span<const size_t> choice) {
  double served = 0;
  for (size_t r = 0; r < choice.size(); ++r)
    if (problem.roles[r].serves()) served += readings[r][choice[r]].minibatch_ms;
  return problem.wait_ms(role, batch_of(problem, role, choice)) + served;
}

double serving_load(const Problem& problem, const Readings& readings,
                    std::span<const size_t> choice, std::optional<size_t> but) {
  std::array<Reading, 2> values;
  std::array<double, 2> batch{};
  for (size_t role = 0; role < choice.size(); ++role) {
    values[role] = readings[role][choice[role]];
    batch[role] = batch_of(problem, role, choice);
  }
  return serving_load(problem, std::span<const Reading>(values.data(), choice.size()),
                      std::span<const double>(batch.data(), choice.size()), but);
}

double sustained_rate(const Problem& problem, const Readings& readings, size_t role,
                      std::span<const size_t> choice) {
  const double left = 1 - serving_load(problem, readings, choice, role);
  return 1e3 * batch_of(problem, role, choice) * std::max(0.0, left) /
         readings[role][choice[role]].minibatch_ms;
}

Choice solve(const Problem& problem, const Readings& readings) {
  Choice best;
  const double power_w = problem.budgets.power_w;
  for_each_choice(problem, [&](std::span<const size_t> choice) {
    // Most choices are over the power budget: no need to weigh them.
    if (best.outcome.feasible && power_w != unlimited)
      for (size_t role = 0; role < choice.size(); ++role)
        if (!holds(readings[role][choice[role]].power_w, power_w)) return;
    const Outcome found = outcome_of(problem, readings, choice);
    if (!best.candidates.empty() && !found.better_than(best.outcome)) return;
    best.candidates.assign(choice.begin(), choice.end());
    best.outcome = found;
  });
  return best;
}

}  // namespace flyball
