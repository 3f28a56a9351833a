#include "answers/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "answers/comparison.h"
#include "answers/request.h"
#include "base/figure.h"
#include "problem/choices.h"
#include "search/acquisition.h"
#include "search/posterior.h"
#include "search/trial_chance.h"
#include "space/pareto.h"

namespace flyball {
namespace {

constexpr double more_watts = 1, more_ms = 10, more_share = 0.1, more_slowdown = 0.01;
constexpr double fewer_requests = 0.9;   // share of the arrival rate that would be easier
constexpr double least_gain_pct = 0.05;  // less is nothing
constexpr double helping_share = 1e-3;   // without a limit that binds the objective gains as much
constexpr double used_up = 0.99;         // share of a limit from which on it may bind
constexpr size_t longest_front = 12;

/// Readings where there are any, predictions elsewhere.
struct View {
  Readings readings;
  std::vector<std::vector<bool>> measured;
  Provenance known = Provenance::measured;  ///< how readings are known
  std::optional<Provenance> coverage;       ///< as Plan::coverage
  Outlook outlook;
  double min_gain = 0;  ///< expected ones below are none

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
  /// What measuring a choice is expected to gain over the loss `best`, as a share of it: the figure
  /// by which a search stops. 0 where nothing is predicted.
  double expected_gain(const Problem& problem, std::span<const size_t> choice, double best) const {
    if (!outlook.known()) return 0;
    return outlook.expect(problem, choice, best).gain / (best == 0 ? 1 : std::abs(best));
  }
  /// Of any choice, how much more it is under relaxed limits.
  double gain_by_relaxing(const Problem& problem, const Problem& relaxed, double best) const {
    double most = 0;
    for_each_choice(problem, [&](std::span<const size_t> choice) {
      const double gain = expected_gain(relaxed, choice, best);
      if (gain > most) most = std::max(most, gain - expected_gain(problem, choice, best));
    });
    return most;
  }
};

/// `readings`: known or predicted ones.
std::optional<Provenance> coverage_of(const History& history, const Readings& readings,
                                      Provenance known) {
  const bool needs_power = history.problem().needs_power();
  std::optional<Provenance> coverage = known;
  for (size_t role = 0; role < readings.size(); ++role) {
    const std::vector<size_t> failures = likely_failures(history, role);
    for (size_t i = 0; i < readings[role].size(); ++i) {
      const Reading& reading = readings[role][i];
      if (history.find(role, i)) continue;
      const bool foretold = reading.minibatch_ms > 0 && (!needs_power || reading.power_w > 0);
      if (!foretold && !std::ranges::binary_search(failures, i)) return {};
      coverage = Provenance::predicted;
    }
  }
  return coverage;
}

View view_of(const History& history, const SearchOptions& options, Provenance known) {
  View view{known_or_predicted(history, options),
            {},
            known,
            {},
            Outlook(history, options),
            options.min_gain};
  view.coverage = coverage_of(history, view.readings, known);
  for (const auto& readings : history.readings()) {
    std::vector<bool>& measured = view.measured.emplace_back();
    for (const Reading& reading : readings) measured.push_back(reading.minibatch_ms > 0);
  }
  return view;
}

double improvement_pct(const Problem& problem, double from, double to) {
  if (from == 0) return to < 0 ? 100 : 0;
  return counts_training(problem.objective) ? 100 * (to / from - 1) : 100 * (1 - to / from);
}

/// What the best choice under relaxed limits is worth by the original problem: for some objectives
/// a limit is part of the figure, and relaxing it must not count as an improvement.
struct RelaxedChoice {
  std::vector<size_t> choice;
  double loss = unlimited;
};

RelaxedChoice solve_relaxed(const Problem& problem, const Problem& relaxed, const View& view) {
  const Choice found = solve(relaxed, view.readings);
  if (!found.outcome.feasible) return {};
  return {found.candidates, outcome_of(problem, view.readings, found.candidates).loss};
}

Problem without(const Problem& problem, const Margin& margin) {
  Problem free = problem;
  double& limit = limit_of(free, margin.constraint, margin.role);
  // No rate is none to serve.
  limit = margin.constraint == Constraint::arrival_rate ? fewer_requests * limit : unlimited;
  return free;
}

bool is_better(double loss, double best) {
  return loss < best - helping_share * std::abs(best);
}

/// `best`: loss of the best choice known or predicted within the limits as they are.
void mark_binding(const Problem& problem, const View& view, double best,
                  std::vector<Margin>& margins) {
  for (Margin& margin : margins)
    margin.binds = margin.used >= used_up * margin.limit &&
                   is_better(solve_relaxed(problem, without(problem, margin), view).loss, best);
}

/// How it is known that relaxing the limits gains nothing, as the medians of the predictions have
/// it: nothing where the chance of a gain is such that a search would go on.
std::optional<Provenance> no_gain(const Problem& problem, const Problem& relaxed, const View& view,
                                  double best) {
  if (view.coverage != Provenance::predicted) return view.coverage;
  // As a share of a budget that is relaxed, a latency falls without being better.
  const bool share = problem.objective == Objective::latency && problem.roles.size() == 2;
  if (!share && view.gain_by_relaxing(problem, relaxed, best) >= view.min_gain) return {};
  return view.coverage;
}

/// Is anything bought?
bool price_limit(const Problem& problem, const Problem& relaxed, const View& view, double best,
                 const std::string& what, std::vector<ShadowPrice>& shadow_prices) {
  const RelaxedChoice found = solve_relaxed(problem, relaxed, view);
  if (found.choice.empty()) return true;
  ShadowPrice price{what, view.option(problem, found.choice)};
  price.gain_pct = improvement_pct(problem, best, found.loss);
  const bool gains = price.gain_pct >= least_gain_pct;
  price.provenance = gains ? price.option.provenance : no_gain(problem, relaxed, view, best);
  if (!gains) price.gain_pct = price.provenance ? 0 : not_measured;
  shadow_prices.push_back(std::move(price));
  return gains;
}

/// Where the usual step of a limit buys nothing: the least step that does.
void price_next_step(const Problem& problem, const View& view, double best, const Margin& margin,
                     std::vector<ShadowPrice>& shadow_prices) {
  const Problem free = without(problem, margin);
  double least = unlimited;
  for_each_choice(problem, [&](std::span<const size_t> choice) {
    if (!outcome_of(free, view.readings, choice).feasible) return;
    const Outcome found = outcome_of(problem, view.readings, choice);
    if (!is_better(found.loss, best)) return;
    for (const Margin& own : margins_of(problem, view.readings, choice))
      if (own.constraint == margin.constraint && own.role == margin.role)
        least = std::min(least, own.used);
  });
  if (least == unlimited) return;
  Problem relaxed = problem;
  const bool in_percent =
      margin.constraint != Constraint::power && margin.constraint != Constraint::latency;
  const double unit = margin.constraint == Constraint::slowdown ? more_slowdown
                      : in_percent                              ? margin.limit / 100
                                                                : 1;
  const double more = rounded((least - margin.limit) / unit, 3, true);
  limit_of(relaxed, margin.constraint, margin.role) = margin.limit + more * unit;
  const bool one_of_two = margin.constraint == Constraint::latency && problem.two_services();
  const std::string what =
      fmt::format("{} {} more {}{}", number(more), in_percent ? "%" : margin.unit,
                  constraint_name(margin.constraint),
                  one_of_two ? " for " + role_name(problem, margin.role) : "");
  price_limit(problem, relaxed, view, best, what, shadow_prices);
}

std::vector<ShadowPrice> shadow_prices_of(const Problem& problem, const View& view, double best,
                                          const std::vector<Margin>& margins) {
  std::vector<ShadowPrice> all;
  const auto price = [&](Constraint constraint, const Problem& relaxed, const char* what) {
    if (price_limit(problem, relaxed, view, best, what, all)) return;
    for (const Margin& margin : margins)
      if (margin.constraint == constraint) price_next_step(problem, view, best, margin, all);
  };
  if (problem.budgets.power_w != unlimited) {
    Problem relaxed = problem;
    relaxed.budgets.power_w += more_watts;
    price(Constraint::power, relaxed, "1 W more power");
  }
  if (std::ranges::any_of(problem.roles, [](const Role& r) { return r.latency_ms != unlimited; })) {
    Problem relaxed = problem;
    for (Role& role : relaxed.roles) role.latency_ms += more_ms;
    price(Constraint::latency, relaxed,
          problem.two_services() ? "10 ms more latency for each" : "10 ms more latency");
  }
  if (problem.budgets.time_ms != unlimited) {
    Problem relaxed = problem;
    relaxed.budgets.time_ms *= 1 + more_share;
    price(Constraint::time, relaxed, "10 % more time");
  }
  if (problem.budgets.energy_j != unlimited) {
    Problem relaxed = problem;
    relaxed.budgets.energy_j *= 1 + more_share;
    price(Constraint::energy, relaxed, "10 % more energy");
  }
  if (problem.budgets.slowdown != unlimited) {
    Problem relaxed = problem;
    relaxed.budgets.slowdown += more_slowdown;
    price(Constraint::slowdown, relaxed, "1 % more slowdown");
  }
  return all;
}

/// What the limits cost, against the best that is known or predicted within them: a prediction that
/// merely was not measured is no merit of a relaxed limit.
void weigh_limits(const Problem& problem, const View& view, Plan& plan) {
  const Choice within = solve(problem, view.readings);
  const double answer = plan.answer->outcome.loss;
  const double best = std::min(answer, within.outcome.loss);
  mark_binding(problem, view, best, plan.margins);
  plan.shadow_prices = shadow_prices_of(problem, view, best, plan.margins);
  const double gain = improvement_pct(problem, answer, best);
  if (gain < least_gain_pct ||
      view.expected_gain(problem, within.candidates, answer) < view.min_gain)
    return;
  plan.unmeasured = ShadowPrice{"more profiles", view.option(problem, within.candidates), gain,
                                Provenance::predicted};
}

/// The part of a long front that lies around the budget, as many below it as above; without one the
/// part that needs most power.
std::vector<Option> nearest_to(double budget_w, std::vector<Option> front) {
  if (front.size() <= longest_front) return front;
  const auto above = static_cast<size_t>(
      std::ranges::count_if(front, [&](const Option& o) { return holds(o.power_w, budget_w); }));
  const size_t half = longest_front / 2;
  const size_t first = std::min(above < half ? 0 : above - half, front.size() - longest_front);
  return {front.begin() + static_cast<std::ptrdiff_t>(first),
          front.begin() + static_cast<std::ptrdiff_t>(first + longest_front)};
}

/// Power against the objective among measured choices that meet everything but the power budget.
/// What trains nothing is no alternative to what trains; what draws nobody knows how much is none
/// where the power of any is known.
std::vector<Option> front_of(const Problem& problem, const View& view, bool with_idle) {
  Problem free = problem;
  free.budgets.power_w = unlimited;
  std::vector<Option> options;
  for_each_choice(free, [&](std::span<const size_t> choice) {
    if (!view.is_measured(choice)) return;
    Option option = view.option(free, choice);
    if (!option.choice.outcome.feasible) return;
    if (!with_idle && trains_nothing(problem, option.choice.outcome)) return;
    options.push_back(std::move(option));
  });
  const auto unknown = [](const Option& option) { return std::isnan(option.power_w); };
  if (!std::ranges::all_of(options, unknown)) std::erase_if(options, unknown);
  std::vector<double> power, loss;
  for (const Option& option : options) {
    power.push_back(unknown(option) ? 0 : option.power_w);
    loss.push_back(option.choice.outcome.loss);
  }
  std::vector<Option> front;
  for (size_t i : pareto_front(power, loss)) front.push_back(options[i]);
  return nearest_to(problem.budgets.power_w, std::move(front));
}

}  // namespace

bool trains_nothing(const Problem& problem, const Outcome& outcome) {
  return counts_training(problem.objective) && outcome.loss == 0;
}

bool leaves_no_training(const Problem& problem, const Outcome& outcome) {
  return problem.concurrent() && outcome.minibatches == 0;
}

Plan draw_plan(const Strategy& strategy, SearchAnswer found) {
  Plan plan;
  static_cast<SearchAnswer&>(plan) = std::move(found);
  plan.problem = std::make_shared<const Problem>(strategy.problem());
  plan.provenance = plan.known();
  const View view = view_of(strategy.history(), strategy.options(), plan.provenance);
  plan.coverage = view.coverage;
  const auto answer = strategy.answer();
  plan.front = front_of(strategy.problem(), view,
                        answer.ok() && trains_nothing(strategy.problem(), answer->outcome));
  const std::vector<size_t>& usual = strategy.options().default_choice;
  if (!usual.empty() && view.is_measured(usual))
    plan.usual = view.option(strategy.problem(), usual);
  plan.presets = preset_answers(strategy, plan.board().presets, view.readings, plan.provenance);
  if (plan.usual) plan.default_breaks = broken_limits(strategy.problem(), view.readings, usual);
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
