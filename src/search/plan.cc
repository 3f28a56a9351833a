#include "search/plan.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "problem/choices.h"
#include "search/belief.h"
#include "space/pareto.h"

namespace flyball {
namespace {

constexpr double more_watts = 1, more_ms = 10, more_share = 0.1;
constexpr size_t longest_front = 12;

/// Readings where there are any, predictions elsewhere.
struct View {
  Readings readings;
  std::vector<std::vector<bool>> measured;

  Option option(const Problem& problem, std::span<const size_t> choice) const {
    Option option{{{choice.begin(), choice.end()}, outcome_of(problem, readings, choice)}, 0, true};
    for (size_t role = 0; role < choice.size(); ++role) {
      const double power = readings[role][choice[role]].power_w;
      option.power_w = std::isnan(power) ? not_measured : std::max(option.power_w, power);
      option.measured = option.measured && measured[role][choice[role]];
    }
    return option;
  }
};

View view_of(const Strategy& strategy) {
  const Ledger& ledger = strategy.ledger();
  View view{ledger.readings(), {}};
  for (size_t role = 0; role < view.readings.size(); ++role) {
    std::vector<bool>& measured = view.measured.emplace_back();
    for (const Reading& reading : view.readings[role]) measured.push_back(reading.minibatch_ms > 0);
    if (!strategy.options().make_predictor) continue;
    const auto belief = believe(ledger, role, strategy.options());
    if (!belief.ok()) continue;
    for (size_t i = 0; i < measured.size(); ++i) {
      const Record* record = ledger.find(role, i);
      if (record) continue;  // measured, or failed
      view.readings[role][i] = {std::exp(belief->log_ms[i]),
                                belief->has_power() ? std::exp(belief->log_w[i]) : not_measured};
    }
  }
  return view;
}

double improvement_pct(const Problem& problem, double from, double to) {
  const bool more =
      problem.objective == Objective::throughput || problem.objective == Objective::minibatches;
  if (from == 0) return to < 0 ? 100 : 0;
  return more ? 100 * (to / from - 1) : 100 * (1 - to / from);
}

Choice solve_view(const Problem& problem, const View& view) {
  return solve(problem, view.readings);
}

void mark_binding(const Problem& problem, const View& view, const Outcome& answer,
                  std::vector<Margin>& margins) {
  for (Margin& margin : margins) {
    Problem free = problem;
    switch (margin.constraint) {
      case Constraint::power:
        free.budgets.power_w = unlimited;
        break;
      case Constraint::time:
        free.budgets.time_ms = unlimited;
        break;
      case Constraint::energy:
        free.budgets.energy_j = unlimited;
        break;
      case Constraint::latency:
        for (Role& role : free.roles)
          if (role.workload == margin.workload) role.latency_ms = unlimited;
        break;
      case Constraint::arrival_rate:
        for (Role& role : free.roles)
          if (role.workload == margin.workload) role.rate_hz *= 1 - more_share;
        break;
      case Constraint::none:
        break;
    }
    // A rate changes the objective itself, so there only a nearly full service counts as binding.
    const Outcome found = solve_view(free, view).outcome;
    margin.binds = margin.constraint == Constraint::arrival_rate
                       ? margin.used > 0.95 * margin.limit
                       : found.loss < answer.loss - 1e-3 * std::abs(answer.loss);
  }
}

void buy(const Problem& problem, const Problem& eased, const View& view, const Outcome& answer,
         const std::string& what, std::vector<Purchase>& purchases) {
  const Choice found = solve_view(eased, view);
  if (!found.outcome.feasible) return;
  Purchase purchase{what, view.option(eased, found.candidates), 0};
  purchase.gain_pct = std::max(0.0, improvement_pct(problem, answer.loss, found.outcome.loss));
  if (purchase.gain_pct < 0.05) purchase.gain_pct = 0;
  purchases.push_back(std::move(purchase));
}

std::vector<Purchase> purchases_of(const Problem& problem, const View& view,
                                   const Outcome& answer) {
  std::vector<Purchase> all;
  if (problem.budgets.power_w != unlimited) {
    Problem eased = problem;
    eased.budgets.power_w += more_watts;
    buy(problem, eased, view, answer, "1 W more power", all);
  }
  if (std::ranges::any_of(problem.roles, [](const Role& r) { return r.latency_ms != unlimited; })) {
    Problem eased = problem;
    for (Role& role : eased.roles) role.latency_ms += more_ms;
    buy(problem, eased, view, answer, "10 ms more latency", all);
  }
  if (problem.budgets.time_ms != unlimited) {
    Problem eased = problem;
    eased.budgets.time_ms *= 1 + more_share;
    buy(problem, eased, view, answer, "10 % more time", all);
  }
  if (problem.budgets.energy_j != unlimited) {
    Problem eased = problem;
    eased.budgets.energy_j *= 1 + more_share;
    buy(problem, eased, view, answer, "10 % more energy", all);
  }
  return all;
}

/// Power against the objective among measured choices that meet everything but the power budget.
std::vector<Option> front_of(const Problem& problem, const View& view) {
  Problem free = problem;
  free.budgets.power_w = unlimited;
  std::vector<Option> options;
  std::vector<double> power, loss;
  for_each_choice(free, [&](std::span<const size_t> choice) {
    for (size_t role = 0; role < choice.size(); ++role)
      if (!view.measured[role][choice[role]]) return;
    Option option = view.option(free, choice);
    if (!option.choice.outcome.feasible) return;
    power.push_back(std::isnan(option.power_w) ? 0 : option.power_w);
    loss.push_back(option.choice.outcome.loss);
    options.push_back(std::move(option));
  });
  std::vector<Option> front;
  for (size_t i : pareto_front(power, loss)) front.push_back(options[i]);
  if (front.size() > longest_front)
    front.erase(front.begin(), front.end() - static_cast<std::ptrdiff_t>(longest_front));
  return front;
}

}  // namespace

std::vector<Margin> margins_of(const Problem& problem, const Readings& readings,
                               std::span<const size_t> choice) {
  std::vector<Margin> margins;
  double power = 0, served = 0, busy = 0;
  for (size_t role = 0; role < choice.size(); ++role) {
    const Reading& reading = readings[role][choice[role]];
    power = std::max(power, reading.power_w);
    if (problem.roles[role].serves()) served += reading.minibatch_ms;
  }
  if (problem.budgets.power_w != unlimited)
    margins.push_back({Constraint::power, "", power, problem.budgets.power_w, "W", false});
  for (size_t role = 0; role < choice.size(); ++role) {
    const Role& asked = problem.roles[role];
    const Reading& reading = readings[role][choice[role]];
    const double batch = problem.candidates->batch(role, choice[role]);
    if (!asked.serves()) {
      const double time = reading.minibatch_ms / (problem.per_sample ? batch : 1);
      if (problem.budgets.time_ms != unlimited)
        margins.push_back(
            {Constraint::time, asked.workload, time, problem.budgets.time_ms, "ms", false});
      if (problem.budgets.energy_j != unlimited)
        margins.push_back({Constraint::energy, asked.workload, reading.power_w * time * 1e-3,
                           problem.budgets.energy_j, "J", false});
      continue;
    }
    const double window = 1e3 * batch / asked.rate_hz;
    busy += reading.minibatch_ms / window;
    if (asked.latency_ms != unlimited)
      margins.push_back(
          {Constraint::latency, asked.workload, window + served, asked.latency_ms, "ms", false});
    margins.push_back({Constraint::arrival_rate, asked.workload, asked.rate_hz,
                       asked.rate_hz / busy, "requests/s", false});
  }
  return margins;
}

Result<Plan> make_plan(Strategy& strategy, const std::function<Result<Told>(const Ask&)>& measure,
                       const std::function<void(const Step&)>& done) {
  Plan plan;
  plan.problem = std::make_shared<const Problem>(strategy.problem());
  while (const auto ask = strategy.ask()) {
    FLYBALL_ASSIGN(const Told told, measure(*ask));
    strategy.tell(*ask, told.reading, told.failure);
    plan.steps.push_back({*ask, told.reading, told.failure, told.from_store});
    if (done) done(plan.steps.back());
  }
  plan.profiles = strategy.ledger().profiles();
  plan.trials = strategy.ledger().trials();
  plan.notes = strategy.notes();
  const View view = view_of(strategy);
  plan.front = front_of(strategy.problem(), view);
  const auto answer = strategy.answer();
  if (!answer.ok()) {
    plan.why_not = answer.error();
    return plan;
  }
  plan.answer = *answer;
  plan.margins = margins_of(strategy.problem(), view.readings, answer->choice);
  mark_binding(strategy.problem(), view, answer->outcome, plan.margins);
  plan.purchases = purchases_of(strategy.problem(), view, answer->outcome);
  return plan;
}

}  // namespace flyball
