#include "answers/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "answers/comparison.h"
#include "answers/request.h"
#include "problem/choices.h"
#include "search/posterior.h"
#include "space/pareto.h"

namespace flyball {
namespace {

constexpr double more_watts = 1, more_ms = 10, more_share = 0.1;
constexpr double least_gain_pct = 0.05;  // less is nothing
constexpr double binding_share = 1e-3;   // without a limit that binds the objective gains as much
constexpr size_t longest_front = 12;

/// Readings where there are any, predictions elsewhere.
struct View {
  Readings readings;
  std::vector<std::vector<bool>> measured;
  Provenance known = Provenance::measured;  ///< how readings are known

  bool is_measured(std::span<const size_t> choice) const {
    for (size_t role = 0; role < choice.size(); ++role)
      if (!measured[role][choice[role]]) return false;
    return true;
  }
  Option option(const Problem& problem, std::span<const size_t> choice) const {
    std::vector<double> times;
    for (size_t role = 0; role < choice.size(); ++role)
      times.push_back(readings[role][choice[role]].minibatch_ms);
    return {{{choice.begin(), choice.end()}, outcome_of(problem, readings, choice)},
            std::move(times),
            power_of(readings, choice),
            is_measured(choice) ? known : Provenance::predicted};
  }
};

View view_of(const Strategy& strategy, Provenance known) {
  View view{known_or_predicted(strategy.history(), strategy.options()), {}, known};
  for (const auto& readings : strategy.history().readings()) {
    std::vector<bool>& measured = view.measured.emplace_back();
    for (const Reading& reading : readings) measured.push_back(reading.minibatch_ms > 0);
  }
  return view;
}

double improvement_pct(const Problem& problem, double from, double to) {
  const bool more =
      problem.objective == Objective::throughput || problem.objective == Objective::minibatches;
  if (from == 0) return to < 0 ? 100 : 0;
  return more ? 100 * (to / from - 1) : 100 * (1 - to / from);
}

/// What the best choice under eased limits is worth by the original problem: for some objectives a
/// limit is part of the figure, and relaxation it must not count as an improvement.
struct Eased {
  std::vector<size_t> choice;
  double loss = unlimited;
};

Eased solve_eased(const Problem& problem, const Problem& eased, const View& view) {
  const Choice found = solve(eased, view.readings);
  if (!found.outcome.feasible) return {};
  return {found.candidates, outcome_of(problem, view.readings, found.candidates).loss};
}

Problem without(const Problem& problem, const Margin& margin) {
  Problem free = problem;
  if (margin.constraint == Constraint::power) free.budgets.power_w = unlimited;
  if (margin.constraint == Constraint::time) free.budgets.time_ms = unlimited;
  if (margin.constraint == Constraint::energy) free.budgets.energy_j = unlimited;
  if (margin.constraint == Constraint::latency) free.roles[margin.role].latency_ms = unlimited;
  return free;
}

/// `best`: loss of the best choice known or predicted within the limits as they are.
void mark_binding(const Problem& problem, const View& view, double best,
                  std::vector<Margin>& margins) {
  for (Margin& margin : margins)
    // A rate changes the objective itself, so there only a nearly full service counts as binding.
    margin.binds = margin.constraint == Constraint::arrival_rate
                       ? margin.used > 0.95 * margin.limit
                       : solve_eased(problem, without(problem, margin), view).loss <
                             best - binding_share * std::abs(best);
}

/// Is anything bought?
bool price_limit(const Problem& problem, const Problem& eased, const View& view, double best,
                 const std::string& what, std::vector<ShadowPrice>& shadow_prices) {
  const Eased found = solve_eased(problem, eased, view);
  if (found.choice.empty()) return true;
  ShadowPrice price{what, view.option(problem, found.choice), 0};
  price.gain_pct = std::max(0.0, improvement_pct(problem, best, found.loss));
  if (price.gain_pct < least_gain_pct) price.gain_pct = 0;
  shadow_prices.push_back(std::move(price));
  return shadow_prices.back().gain_pct > 0;
}

/// Where the usual step of a limit that binds buys nothing: the least step that does.
void price_next_step(const Problem& problem, const View& view, double best, const Margin& margin,
                     std::vector<ShadowPrice>& shadow_prices) {
  const Problem free = without(problem, margin);
  double least = unlimited;
  for_each_choice(problem, [&](std::span<const size_t> choice) {
    if (!outcome_of(free, view.readings, choice).feasible) return;
    const Outcome found = outcome_of(problem, view.readings, choice);
    if (!(found.loss < best - binding_share * std::abs(best))) return;
    for (const Margin& own : margins_of(problem, view.readings, choice))
      if (own.constraint == margin.constraint && own.role == margin.role)
        least = std::min(least, own.used);
  });
  if (least == unlimited) return;
  Problem eased = problem;
  const double more = least - margin.limit;
  if (margin.constraint == Constraint::power) eased.budgets.power_w = least;
  if (margin.constraint == Constraint::time) eased.budgets.time_ms = least;
  if (margin.constraint == Constraint::energy) eased.budgets.energy_j = least;
  if (margin.constraint == Constraint::latency) eased.roles[margin.role].latency_ms = least;
  const std::string what =
      margin.constraint == Constraint::power || margin.constraint == Constraint::latency
          ? fmt::format("{:.3g} {} more {}", more, margin.unit, constraint_name(margin.constraint))
          : fmt::format("{:.3g} % more {}", 100 * more / margin.limit,
                        constraint_name(margin.constraint));
  price_limit(problem, eased, view, best, what, shadow_prices);
}

std::vector<ShadowPrice> shadow_prices_of(const Problem& problem, const View& view, double best,
                                          const std::vector<Margin>& margins) {
  std::vector<ShadowPrice> all;
  const auto price = [&](Constraint constraint, const Problem& eased, const char* what) {
    if (price_limit(problem, eased, view, best, what, all)) return;
    for (const Margin& margin : margins)
      if (margin.constraint == constraint && margin.binds)
        price_next_step(problem, view, best, margin, all);
  };
  if (problem.budgets.power_w != unlimited) {
    Problem eased = problem;
    eased.budgets.power_w += more_watts;
    price(Constraint::power, eased, "1 W more power");
  }
  if (std::ranges::any_of(problem.roles, [](const Role& r) { return r.latency_ms != unlimited; })) {
    Problem eased = problem;
    for (Role& role : eased.roles) role.latency_ms += more_ms;
    price(Constraint::latency, eased, "10 ms more latency");
  }
  if (problem.budgets.time_ms != unlimited) {
    Problem eased = problem;
    eased.budgets.time_ms *= 1 + more_share;
    price(Constraint::time, eased, "10 % more time");
  }
  if (problem.budgets.energy_j != unlimited) {
    Problem eased = problem;
    eased.budgets.energy_j *= 1 + more_share;
    price(Constraint::energy, eased, "10 % more energy");
  }
  return all;
}

/// What the limits cost, against the best that is known or predicted within them: a prediction that
/// merely was not measured is no merit of an eased limit.
void weigh_limits(const Problem& problem, const View& view, Plan& plan) {
  const Choice within = solve(problem, view.readings);
  const double answer = plan.answer->outcome.loss;
  const double best = std::min(answer, within.outcome.loss);
  mark_binding(problem, view, best, plan.margins);
  plan.shadow_prices = shadow_prices_of(problem, view, best, plan.margins);
  const double gain = improvement_pct(problem, answer, best);
  if (gain >= least_gain_pct)
    plan.unmeasured = ShadowPrice{"more profiles", view.option(problem, within.candidates), gain};
}

/// The part of a long front that lies around the budget, as many below it as above; without one the
/// part that needs most power.
std::vector<Option> nearest_to(double budget_w, std::vector<Option> front) {
  if (front.size() <= longest_front) return front;
  const auto above = static_cast<size_t>(
      std::ranges::count_if(front, [&](const Option& o) { return o.power_w <= budget_w; }));
  const size_t half = longest_front / 2;
  const size_t first = std::min(above < half ? 0 : above - half, front.size() - longest_front);
  return {front.begin() + static_cast<std::ptrdiff_t>(first),
          front.begin() + static_cast<std::ptrdiff_t>(first + longest_front)};
}

/// Power against the objective among measured choices that meet everything but the power budget.
std::vector<Option> front_of(const Problem& problem, const View& view) {
  Problem free = problem;
  free.budgets.power_w = unlimited;
  std::vector<Option> options;
  std::vector<double> power, loss;
  for_each_choice(free, [&](std::span<const size_t> choice) {
    if (!view.is_measured(choice)) return;
    Option option = view.option(free, choice);
    if (!option.choice.outcome.feasible) return;
    power.push_back(std::isnan(option.power_w) ? 0 : option.power_w);
    loss.push_back(option.choice.outcome.loss);
    options.push_back(std::move(option));
  });
  std::vector<Option> front;
  for (size_t i : pareto_front(power, loss)) front.push_back(options[i]);
  return nearest_to(problem.budgets.power_w, std::move(front));
}

}  // namespace

std::vector<Margin> margins_of(const Problem& problem, const Readings& readings,
                               std::span<const size_t> choice) {
  std::vector<Margin> margins;
  const auto add = [&](Constraint constraint, size_t role, double used, double limit) {
    const bool whole = constraint == Constraint::power;
    if (limit != unlimited)
      margins.push_back({constraint, role, whole ? "" : problem.roles[role].workload, used, limit,
                         unit_of(problem, constraint), false});
  };
  add(Constraint::power, 0, power_of(readings, choice), problem.budgets.power_w);
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

Plan draw_plan(const Strategy& strategy, SearchAnswer found) {
  Plan plan;
  static_cast<SearchAnswer&>(plan) = std::move(found);
  plan.problem = std::make_shared<const Problem>(strategy.problem());
  plan.provenance = provenance_of(plan.profiled);
  const View view = view_of(strategy, plan.provenance);
  plan.front = front_of(strategy.problem(), view);
  const std::vector<size_t>& usual = strategy.options().default_choice;
  if (!usual.empty() && view.is_measured(usual))
    plan.usual = view.option(strategy.problem(), usual);
  plan.presets = preset_answers(strategy, plan.board().presets, view.readings, plan.provenance);
  if (plan.usual) plan.default_breaks = broken_limits(strategy.problem(), view.readings, usual);
  const auto answer = strategy.answer();
  if (!answer.ok()) {
    const FlagOf flag_of = [](Constraint limit, size_t) { return limit_flag(limit); };
    plan.refuse(refusal_of(strategy, answer.error(), flag_of, plan.provenance));
    return plan;
  }
  plan.answer = *answer;
  plan.chosen = view.option(strategy.problem(), answer->choice);
  plan.margins = margins_of(strategy.problem(), view.readings, answer->choice);
  weigh_limits(strategy.problem(), view, plan);
  compare_with_presets(plan);
  return plan;
}

}  // namespace flyball
