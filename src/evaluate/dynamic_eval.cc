#include "evaluate/dynamic_eval.h"

#include <set>

#include "base/parallel.h"
#include "evaluate/search_ground.h"
#include "search/posterior.h"
#include "search/registry.h"
#include "search/run.h"

namespace flyball {
namespace {

constexpr double switch_ms = 2000;

/// All that was profiled for the rates of one problem.
struct Profiled {
  Readings readings;
  size_t profiles = 0, trials = 0;
  std::optional<Error> error;  ///< of the first search that broke off
};

Problem problem_at(const SearchGround& ground, const ProblemSpec& asked, double rate_hz) {
  ProblemSpec spec = asked;
  spec.rate_hz = rate_hz;
  Problem problem = make_problem(ProblemKind::concurrent, ground.candidates, ground.roles, spec);
  problem.switch_ms = switch_ms;
  return problem;
}

std::vector<Known> known_by(const History& history) {
  std::vector<Known> known;
  for (size_t role = 0; role < history.problem().roles.size(); ++role)
    for (const auto& [candidate, record] : history.of_role(role))
      known.push_back({role, candidate, record.value(), record.failure});
  return known;
}

// Each rate once, from what the rates before have profiled, as `plan dynamic` does.
Profiled search_rates(const SearchGround& ground, const DynamicProblem& one,
                      const StrategyEntry& entry, SearchOptions options) {
  std::set<double> rates;
  for (const RateWindow& window : one.windows) rates.insert(window.rate_hz);
  Profiled all;
  for (const auto& role : ground.raw) all.readings.emplace_back(role.size());
  for (const double rate_hz : rates) {
    auto problem = std::make_shared<Problem>(problem_at(ground, one.asked, rate_hz));
    if (entry.published) problem->objective = Objective::minibatches;
    auto strategy = make_strategy(entry.name, problem, options);
    if (!all.error) all.error = broken_off(strategy);
    if (!strategy.ok()) continue;  // the budgets contradict each other at this rate
    // The plan is made over the profiles, whatever is best at one rate.
    const auto answer = run_search(**strategy, ground.raw);
    if (!all.error && !(*strategy)->predicted_choice()) all.error = broken_off(answer);
    const History& history = (*strategy)->history();
    all.profiles += history.profiles();
    all.trials += history.trials();
    all.readings = history.readings();
    options.known = known_by(history);
  }
  return all;
}

SearchCase case_of(const SearchGround& ground, const DynamicProblem& one, const Problem& problem,
                   double optimum, const StrategyEntry& entry, const SearchOptions& options) {
  const Profiled profiled = search_rates(ground, one, entry, options);
  auto plan = plan_dynamic(problem, profiled.readings, one.windows);
  SearchCase found;
  found.error = profiled.error ? profiled.error : broken_off(plan);
  if (found.error) plan = *found.error;
  found.strategy = entry.name;
  found.seed = options.seed;
  found.asked = one.asked;
  found.optimum = optimum;
  found.robust_optimum = found.power_w = not_measured;
  found.answer = plan.ok() ? plan->value : not_measured;
  found.excess_pct = !plan.ok()     ? not_measured
                     : optimum == 0 ? 0
                                    : 100 * (1 - plan->value / optimum);
  found.profiles = profiled.profiles;
  found.trials = profiled.trials;
  return found;
}

/// The problems that the whole tables solve.
struct Solvable {
  size_t number;
  Problem problem;
  double optimum;  ///< training minibatches per second
};

Result<std::vector<Solvable>> solve_all(const SearchGround& ground,
                                        const std::vector<DynamicProblem>& problems) {
  std::vector<Solvable> solvable;
  for (size_t i = 0; i < problems.size(); ++i) {
    Problem problem = problem_at(ground, problems[i].asked, problems[i].asked.rate_hz);
    const auto plan = plan_dynamic(problem, ground.raw, problems[i].windows);
    if (const auto error = broken_off(plan)) return *error;
    if (plan.ok()) solvable.push_back({i, std::move(problem), plan->value});
  }
  return solvable;
}

}  // namespace

Result<std::vector<SearchCase>> evaluate_dynamic(const SearchSweep& sweep,
                                                 const std::vector<DynamicProblem>& problems) {
  FLYBALL_ASSIGN(const SearchGround ground, prepare_ground(sweep));
  FLYBALL_ASSIGN(const std::vector<Solvable> solvable, solve_all(ground, problems));
  SearchCounter counter(sweep, sweep.strategies.size() * solvable.size());
  std::vector<SearchCase> cases;
  for (const std::string& name : sweep.strategies) {
    FLYBALL_ASSIGN(const StrategyEntry* entry, find_strategy(name));
    SearchOptions options = options_of(sweep);
    options.cache = std::make_shared<PredictionCache>();
    std::vector<SearchCase> found(solvable.size());
    parallel_for(
        found.size(),
        [&](size_t i) {
          found[i] = case_of(ground, problems[solvable[i].number], solvable[i].problem,
                             solvable[i].optimum, *entry, options);
          counter.step();
        },
        sweep.threads);
    cases.insert(cases.end(), found.begin(), found.end());
  }
  return cases;
}

}  // namespace flyball
