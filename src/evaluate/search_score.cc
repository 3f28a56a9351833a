#include "evaluate/search_score.h"

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "base/statistics.h"

namespace flyball {
namespace {

constexpr double slack_w = 1, slack_ms = 10;  // of the papers' NN250

/// Percent above the optimum; for throughput, percent below it.
double excess_pct(const Problem& problem, double loss, double best) {
  if (problem.concurrent() && problem.objective != Objective::power)
    return best == 0 ? 0 : 100 * (1 - loss / best);
  return 100 * (loss / best - 1);
}

Problem with_objective(const Problem& problem, Objective objective) {
  Problem other = problem;
  other.objective = objective;
  return other;
}

/// Solved by the limits of `within`; compared with the optimum of `problem`.
Scored score_within(const Problem& problem, const Problem& within, const Optima& optima,
                    const Readings& raw, std::span<const size_t> choice) {
  Scored scored;
  const Outcome got = outcome_of(within, raw, choice);
  double power = 0;
  for (size_t role = 0; role < choice.size(); ++role)
    power = std::max(power, raw[role][choice[role]].power_w);
  scored.over_power = !holds(power, problem.budgets.power_w);
  scored.over_by_1w = power > problem.budgets.power_w + slack_w;
  scored.solved = got.feasible;
  if (!scored.solved) return scored;
  scored.answer = objective_value(problem, got);
  scored.power_w = power;
  scored.excess = excess_pct(problem, got.loss, optima.raw.loss);
  scored.has_robust = optima.robust.feasible;
  if (scored.has_robust) scored.robust_excess = excess_pct(problem, got.loss, optima.robust.loss);
  if (optima.latency_ms > 0) {
    const double latency =
        outcome_of(with_objective(problem, Objective::latency), raw, choice).loss;
    scored.latency_excess = 100 * (latency / optima.latency_ms - 1);
  }
  if (problem.concurrent()) {
    scored.n = -outcome_of(with_objective(problem, Objective::minibatches), raw, choice).loss;
    scored.counts_n = optima.most_minibatches > 0;
    if (scored.counts_n) scored.n_loss = 100 * (1 - scored.n / optima.most_minibatches);
  }
  return scored;
}

/// Of nothing a figure is not known, which is not 0.
double of_any(const std::vector<double>& values, double (*figure)(std::span<const double>)) {
  return values.empty() ? not_measured : figure(values);
}

double ninetieth(std::span<const double> values) {
  return quantile(values, 0.9);
}

struct Figure {
  const char* name;
  double SearchRow::*value;
  bool (*applies)(ProblemKind);
};

bool always(ProblemKind) {
  return true;
}
bool for_inference(ProblemKind kind) {
  return kind == ProblemKind::inference;
}
bool for_concurrent(ProblemKind kind) {
  return kind == ProblemKind::concurrent;
}

constexpr Figure figures[] = {
    {"median_excess_pct", &SearchRow::median_excess_pct, always},
    {"mean_excess_pct", &SearchRow::mean_excess_pct, always},
    {"p90_excess_pct", &SearchRow::p90_excess_pct, always},
    {"robust_mean_excess_pct", &SearchRow::robust_mean_excess_pct, always},
    {"robust_p90_excess_pct", &SearchRow::robust_p90_excess_pct, always},
    {"mean_profiles", &SearchRow::mean_profiles, always},
    {"max_profiles", &SearchRow::max_profiles, always},
    {"mean_trials", &SearchRow::mean_trials, always},
    {"seconds", &SearchRow::seconds, always},
    {"median_latency_excess_pct", &SearchRow::median_latency_excess_pct, for_inference},
    {"mean_latency_excess_pct", &SearchRow::mean_latency_excess_pct, for_inference},
    {"median_n", &SearchRow::median_n, for_concurrent},
    {"mean_n_loss_pct", &SearchRow::mean_n_loss_pct, for_concurrent},
    {"mean_throughput_loss_pct", &SearchRow::mean_throughput_loss_pct, for_concurrent},
};

struct Count {
  const char* name;
  size_t SearchRow::*value;
};
constexpr Count counts[] = {
    {"problems", &SearchRow::problems},
    {"solvable", &SearchRow::solvable},
    {"solved", &SearchRow::solved},
    {"violations", &SearchRow::violations},
    {"violations_over_1w", &SearchRow::violations_over_1w},
};

}  // namespace

Optima find_optima(const Problem& problem, const Readings& raw, const Readings& robust) {
  Optima optima;
  optima.raw = solve(problem, raw).outcome;
  if (!optima.raw.feasible) return optima;
  optima.robust = solve(problem, robust).outcome;
  if (problem.roles.size() == 1 && problem.roles[0].serves())
    optima.latency_ms = solve(with_objective(problem, Objective::latency), raw).outcome.loss;
  if (problem.concurrent())
    optima.most_minibatches =
        -solve(with_objective(problem, Objective::minibatches), raw).outcome.loss;
  return optima;
}

Scored score(const Problem& problem, const Optima& optima, const Readings& raw,
             std::span<const size_t> choice) {
  return score_within(problem, problem, optima, raw, choice);
}

Scored score_predicted(const Problem& problem, const Optima& optima, const Readings& raw,
                       std::span<const size_t> choice) {
  Problem slack = problem;
  slack.budgets.power_w += slack_w;
  for (Role& role : slack.roles) role.latency_ms += slack_ms;
  return score_within(problem, slack, optima, raw, choice);
}
SearchRow summarise(ProblemKind kind, const std::string& strategy, size_t problems,
                    std::span<const Scored> scored) {
  SearchRow row;
  row.strategy = strategy;
  row.problems = problems;
  row.solvable = scored.size();
  std::vector<double> excess, robust, latency, n, n_loss, profiles, trials;
  for (const Scored& one : scored) {
    profiles.push_back(one.profiles);
    trials.push_back(one.trials);
    row.seconds += one.seconds;
    row.violations += one.over_power;
    row.violations_over_1w += one.over_by_1w;
    if (!one.solved) continue;
    ++row.solved;
    excess.push_back(one.excess);
    latency.push_back(one.latency_excess);
    n.push_back(one.n);
    if (one.has_robust) robust.push_back(one.robust_excess);
    if (one.counts_n) n_loss.push_back(one.n_loss);
  }
  row.median_excess_pct = of_any(excess, median);
  row.mean_excess_pct = of_any(excess, mean);
  row.p90_excess_pct = of_any(excess, ninetieth);
  row.robust_mean_excess_pct = of_any(robust, mean);
  row.robust_p90_excess_pct = of_any(robust, ninetieth);
  row.mean_profiles = of_any(profiles, mean);
  row.max_profiles = profiles.empty() ? not_measured : *std::ranges::max_element(profiles);
  row.mean_trials = of_any(trials, mean);
  row.median_latency_excess_pct = of_any(latency, median);
  row.mean_latency_excess_pct = of_any(latency, mean);
  row.median_n = of_any(n, median);
  row.mean_n_loss_pct = of_any(n_loss, mean);
  if (kind == ProblemKind::concurrent) row.mean_throughput_loss_pct = row.mean_excess_pct;
  return row;
}

SearchRow median_row(std::span<const SearchRow> rows) {
  SearchRow middle = rows.front();
  const auto over_rows = [&](auto member) {
    std::vector<double> values;
    for (const SearchRow& row : rows)
      if (const auto value = static_cast<double>(row.*member); !std::isnan(value))
        values.push_back(value);
    return values;
  };
  for (const Figure& figure : figures)
    middle.*figure.value = of_any(over_rows(figure.value), median);
  for (const Count& count : counts)
    middle.*count.value = static_cast<size_t>(std::lround(median(over_rows(count.value))));
  middle.seconds = 0;
  for (const SearchRow& row : rows) middle.seconds += row.seconds;
  return middle;
}

SortedJson to_json(const SearchEvaluation& evaluation) {
  SortedJson rows = SortedJson::array();
  for (const SearchRow& row : evaluation.rows) {
    SortedJson one = {{"strategy", row.strategy}};
    for (const Count& count : counts) one[count.name] = row.*count.value;
    for (const Figure& figure : figures)
      if (figure.applies(evaluation.kind)) one[figure.name] = or_null(row.*figure.value);
    rows.push_back(std::move(one));
  }
  return {{"problem", kind_name(evaluation.kind)},
          {"modes", evaluation.modes},
          {"rows", std::move(rows)}};
}

}  // namespace flyball
