#include "evaluate/search_sweep.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "base/statistics.h"
#include "base/text.h"
#include "evaluate/search_ground.h"
#include "evaluate/search_score.h"
#include "search/posterior.h"
#include "search/registry.h"
#include "search/run.h"

namespace flyball {
namespace {

/// Problems whose searches this kind compares, with their exact solutions.
struct Case {
  ProblemSpec asked;
  std::shared_ptr<const Problem> problem;
  Optima optima;
};

Result<std::vector<Case>> solve_all(const SearchSweep& sweep, const SearchGround& ground) {
  std::vector<ProblemSpec> specs = sweep.problems;
  if (specs.empty())
    specs = paper_problems(sweep.kind,
                           std::ranges::any_of(ground.roles, takes_long_latency, &Role::workload));
  const size_t step = std::max<size_t>(1, sweep.every);
  std::vector<Case> cases((specs.size() + step - 1) / step);
  for (size_t i = 0; i < cases.size(); ++i) {
    cases[i].asked = specs[i * step];
    auto problem = std::make_shared<Problem>(
        make_problem(sweep.kind, ground.candidates, ground.roles, cases[i].asked));
    // Infeasible ones are counted as not solvable; one that is no problem at all is a mistake.
    const Status sound = validate(*problem);
    if (!sound.ok() && sound.error().code != Code::infeasible)
      return sound.error().within(fmt::format("problem {} of {}", i * step + 1, specs.size()));
    cases[i].problem = std::move(problem);
  }
  parallel_for(
      cases.size(),
      [&](size_t i) {
        cases[i].optima = find_optima(*cases[i].problem, ground.raw, ground.robust);
      },
      sweep.threads);
  return cases;
}

/// Processor time of this thread: our own time, whatever else the machine does.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// What of a search is told beside its score.
struct Told {
  Settings chosen;
  std::optional<Error> error;
};

Scored run_one(const SearchGround& ground, const Case& one, const StrategyEntry& entry,
               const SearchOptions& options, Told& told) {
  const double began = thread_seconds();
  std::shared_ptr<const Problem> problem = one.problem;
  if (entry.published && problem->concurrent()) {
    auto paper = std::make_shared<Problem>(*problem);
    paper->objective = Objective::minibatches;
    problem = paper;
  }
  Scored scored;
  auto strategy = make_strategy(entry.name, problem, options);
  told.error = broken_off(strategy);
  if (!strategy.ok()) return scored;  // nothing to search: the budgets contradict each other
  const auto answer = run_search(**strategy, ground.raw);
  const auto predicted = (*strategy)->predicted_choice();
  if (predicted)
    scored = score_predicted(*one.problem, one.optima, ground.raw, *predicted);
  else if (answer.ok())
    scored = score(*one.problem, one.optima, ground.raw, answer->choice);
  else
    told.error = broken_off(answer);
  if (scored.solved) {
    const std::vector<size_t>& choice = predicted ? *predicted : answer->choice;
    told.chosen = ground.candidates->space(choice.size() - 1).settings(choice.back());
  }
  scored.profiles = static_cast<double>((*strategy)->history().profiles());
  scored.trials = static_cast<double>((*strategy)->history().trials());
  scored.seconds = thread_seconds() - began;
  return scored;
}

SearchCase case_of(const Case& one, const Scored& scored, Told told) {
  SearchCase found;
  found.asked = one.asked;
  found.chosen = std::move(told.chosen);
  found.error = std::move(told.error);
  found.optimum = objective_value(*one.problem, one.optima.raw);
  found.robust_optimum =
      one.optima.robust.feasible ? objective_value(*one.problem, one.optima.robust) : not_measured;
  found.answer = scored.solved ? scored.answer : not_measured;
  found.excess_pct = scored.solved ? scored.excess : not_measured;
  found.power_w = scored.solved ? scored.power_w : not_measured;
  found.profiles = static_cast<size_t>(scored.profiles);
  found.trials = static_cast<size_t>(scored.trials);
  return found;
}

}  // namespace

Result<std::vector<const StrategyEntry*>> compared_strategies(
    const std::vector<std::string>& names) {
  std::vector<const StrategyEntry*> entries;
  for (const std::string& name : names) {
    FLYBALL_ASSIGN(const StrategyEntry* entry, find_strategy(name));
    if (entry->all_known)
      return Error{Code::invalid_argument,
                   fmt::format("strategy '{}' reads every row and searches nothing", name),
                   "every other strategy is compared with it: leave it out"};
    if (std::ranges::find(entries, entry) != entries.end())
      return Error{Code::invalid_argument, fmt::format("strategy '{}' is named twice", name),
                   "name each once: a second search would find the same"};
    entries.push_back(entry);
  }
  return entries;
}

Result<SearchEvaluation> evaluate_search(const SearchSweep& sweep) {
  FLYBALL_ASSIGN(const auto entries, compared_strategies(sweep.strategies));
  const size_t roles =
      sweep.kind == ProblemKind::training || sweep.kind == ProblemKind::inference ? 1 : 2;
  if (sweep.tables.size() != roles)
    return Error{Code::invalid_argument,
                 fmt::format("a {} problem needs {} table{}, not {}", kind_name(sweep.kind), roles,
                             roles == 1 ? "" : "s", sweep.tables.size()),
                 "give --train and --infer as the problem has roles"};
  FLYBALL_ASSIGN(const SearchGround ground, prepare_ground(sweep));
  FLYBALL_ASSIGN(const std::vector<Case> cases, solve_all(sweep, ground));
  std::vector<size_t> solvable;
  for (size_t i = 0; i < cases.size(); ++i)
    if (cases[i].optima.raw.feasible) solvable.push_back(i);

  size_t runs = 0;
  for (const StrategyEntry* entry : entries) runs += entry->random ? sweep.seeds : 1;
  SearchCounter counter(sweep, runs * solvable.size());
  const SearchOptions common = options_of(sweep);
  std::vector<std::string> titles;
  for (const WorkloadTable* table : sweep.tables) titles.push_back(table->title());
  SearchEvaluation evaluation{sweep.kind, ground.candidates->mode_count(), {}, {}};
  for (const StrategyEntry* entry : entries) {
    std::vector<SearchRow> of_seed;
    for (size_t seed = 0; seed < (entry->random ? sweep.seeds : 1); ++seed) {
      SearchOptions options = common;
      options.seed += seed;
      options.cache = std::make_shared<PredictionCache>();
      std::vector<Scored> scored(solvable.size());
      std::vector<Told> told(solvable.size());
      parallel_for(
          solvable.size(),
          [&](size_t i) {
            scored[i] = run_one(ground, cases[solvable[i]], *entry, options, told[i]);
            counter.step();
          },
          sweep.threads);
      for (size_t i = 0; i < solvable.size(); ++i) {
        evaluation.cases.push_back(case_of(cases[solvable[i]], scored[i], std::move(told[i])));
        evaluation.cases.back().strategy = entry->name;
        evaluation.cases.back().seed = options.seed;
        evaluation.cases.back().tables = join(titles, " + ");
      }
      of_seed.push_back(summarise(sweep.kind, entry->name, cases.size(), scored));
    }
    evaluation.rows.push_back(median_row(of_seed));
  }
  return evaluation;
}

}  // namespace flyball
