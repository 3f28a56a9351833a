#include "problem/margins.h"

#include <fmt/format.h>

#include <cmath>

#include "base/figure.h"
#include "base/text.h"

namespace flyball {

std::vector<Margin> margins_of(const Problem& problem, const Readings& readings,
                               std::span<const size_t> choice) {
  std::vector<Margin> margins;
  const auto add = [&](Constraint constraint, size_t role, double used, double limit) {
    const bool whole = constraint == Constraint::power;
    if (limit != unlimited)
      margins.push_back({constraint, role, whole ? "" : role_name(problem, role), used, limit,
                         unit_of(problem, constraint)});
  };
  add(Constraint::power, 0, power_of(readings, choice), problem.budgets.power_w);
  if (choice.size() == 1)
    add(Constraint::slowdown, 0, problem.slowdown(readings[0][choice[0]].minibatch_ms, choice[0]),
        problem.budgets.slowdown);
  for (size_t role = 0; role < choice.size(); ++role) {
    const Role& asked = problem.roles[role];
    if (!asked.serves()) {
      const Reading& reading = readings[role][choice[role]];
      const double time =
          reading.minibatch_ms / problem.counts(problem.candidates->batch(role, choice[role]));
      add(Constraint::time, role, time, problem.budgets.time_ms);
      add(Constraint::energy, role, reading.power_w * time * 1e-3, problem.budgets.energy_j);
      continue;
    }
    add(Constraint::latency, role, latency_of(problem, readings, role, choice), asked.latency_ms);
    add(Constraint::arrival_rate, role, asked.rate_hz,
        sustained_rate(problem, readings, role, choice));
  }
  return margins;
}

Margin in_unit(Margin margin) {
  if (margin.constraint != Constraint::slowdown) return margin;
  margin.used = percent_of_slowdown(margin.used);
  margin.limit = percent_of_slowdown(margin.limit);
  return margin;
}

std::string margin_text(const Margin& one) {
  const Margin margin = in_unit(one);
  const std::string whose = margin.workload.empty() ? "" : margin.workload + " ";
  if (margin.constraint == Constraint::arrival_rate)
    return fmt::format("{}arrival rate {}/s of the {}/s that could be sustained", whose,
                       as_typed(margin.used),
                       as_typed(margin.limit > 0 ? rounded(margin.limit, 4, false) : 0));
  const std::string span = margin.span.empty() ? "" : margin.span + " ";
  if (std::isnan(margin.used))
    return fmt::format("{}{}{} not known, of {} {}", whose, span,
                       constraint_name(margin.constraint), as_typed(margin.limit), margin.unit);
  return fmt::format("{}{}{} {} of {} {}", whose, span, constraint_name(margin.constraint),
                     upper_figure(margin.used, 4, margin.limit), as_typed(margin.limit),
                     margin.unit);
}

std::string missed_text(const std::vector<Margin>& margins) {
  std::vector<std::string> parts;
  for (const Margin& margin : margins)
    if (margin.missed()) parts.push_back(margin_text(margin));
  return join(parts, ", ");
}

}  // namespace flyball
