#include "evaluate/every_eval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/json.h"
#include "base/random.h"
#include "base/statistics.h"
#include "base/text.h"
#include "evaluate/drawn_problems.h"
#include "evaluate/dynamic_eval.h"
#include "evaluate/search_ground.h"

namespace flyball {
namespace {

using Tables = std::vector<const WorkloadTable*>;

constexpr const char* dynamic_kind = "dynamic";

/// One table, or two of one board, with problems of one kind.
struct Posed {
  std::optional<ProblemKind> kind;  ///< nothing: rates that change
  Tables tables;
  size_t problems = 0;

  bool dynamic() const { return !kind; }
  std::string kind_text() const { return kind ? kind_name(*kind) : dynamic_kind; }
  std::string title() const {
    std::vector<std::string> names;
    for (const WorkloadTable* table : tables)
      names.push_back(fmt::format("{} {}", table->workload, phase_name(table->phase)));
    return fmt::format("{} on {}", join(names, ", "), tables.front()->device);
  }
};

std::vector<Tables> alone(const std::vector<WorkloadTable>& tables, Phase phase) {
  std::vector<Tables> all;
  for (const WorkloadTable& table : tables)
    if (table.phase == phase) all.push_back({&table});
  return all;
}

// Each of the first phase with each service of its board; of two services each pair once.
std::vector<Tables> pairs(const std::vector<WorkloadTable>& tables, Phase first) {
  std::vector<Tables> all;
  for (const WorkloadTable& one : tables)
    for (const WorkloadTable& other : tables)
      if (one.phase == first && other.phase == Phase::infer && one.device == other.device &&
          (first == Phase::train || &one < &other))
        all.push_back({&one, &other});
  return all;
}

// `limit` problems over all of them; where they are more than that, over some that are drawn.
void spread(std::optional<ProblemKind> kind, std::vector<Tables> all, const EverySweep& sweep,
            std::vector<Posed>& posed) {
  if (all.size() > sweep.limit) {
    Random random(mix_seed(sweep.options.seed, posed.size()));
    std::vector<size_t> drawn = random.sample(all.size(), sweep.limit);
    std::ranges::sort(drawn);
    std::vector<Tables> some;
    for (const size_t i : drawn) some.push_back(all[i]);
    all = std::move(some);
  }
  for (size_t i = 0; i < all.size(); ++i)
    posed.push_back({kind, all[i], sweep.limit / all.size() + (i < sweep.limit % all.size())});
}

std::vector<Posed> all_posed(const EverySweep& sweep) {
  std::vector<Posed> posed;
  spread(ProblemKind::training, alone(sweep.tables, Phase::train), sweep, posed);
  spread(ProblemKind::inference, alone(sweep.tables, Phase::infer), sweep, posed);
  spread(ProblemKind::concurrent, pairs(sweep.tables, Phase::train), sweep, posed);
  spread(ProblemKind::two_inference, pairs(sweep.tables, Phase::infer), sweep, posed);
  spread(std::nullopt, pairs(sweep.tables, Phase::train), sweep, posed);
  return posed;
}

SearchSweep sweep_of(const EverySweep& every, const Posed& posed) {
  SearchSweep sweep;
  sweep.kind = posed.kind.value_or(ProblemKind::concurrent);
  sweep.tables = posed.tables;
  sweep.strategies = every.strategies;
  sweep.only_paper_modes = false;
  sweep.references = every.references;
  sweep.options = every.options;
  sweep.threads = every.threads;
  return sweep;
}

std::vector<DynamicProblem> with_windows(const std::vector<ProblemSpec>& specs, uint64_t seed) {
  std::vector<DynamicProblem> problems;
  for (size_t i = 0; i < specs.size(); ++i)
    problems.push_back({specs[i], draw_windows(specs[i], mix_seed(seed, i))});
  return problems;
}

Result<std::vector<SearchCase>> search(SearchSweep sweep, const Posed& posed, uint64_t seed) {
  std::vector<ProblemSpec> specs;
  if (posed.tables.size() == 1) {
    specs = draw_problems(sweep.kind, *posed.tables.front(), posed.problems, seed);
  } else {
    FLYBALL_ASSIGN(const SearchGround ground, prepare_ground(sweep));
    specs = draw_pair_problems(sweep.kind, *ground.candidates, ground.raw, posed.problems, seed);
  }
  if (posed.dynamic()) return evaluate_dynamic(sweep, with_windows(specs, seed));
  sweep.problems = std::move(specs);
  FLYBALL_ASSIGN(SearchEvaluation evaluation, evaluate_search(sweep));
  return std::move(evaluation.cases);
}

/// What the cases of one row come to.
struct Tally {
  std::string strategy, kind, tables;
  std::vector<double> distances, profiles;
  size_t failed = 0;

  void add(const SearchCase& one) {
    failed += one.error.has_value();
    profiles.push_back(static_cast<double>(one.profiles));
    if (!std::isnan(one.excess_pct)) distances.push_back(one.excess_pct);
  }
  EveryRow row() const {
    EveryRow row{strategy, kind, tables};
    row.solvable = profiles.size();
    row.satisfied = distances.size();
    row.failed = failed;
    row.median_distance_pct = distances.empty() ? not_measured : median(distances);
    row.mean_distance_pct = distances.empty() ? not_measured : mean(distances);
    row.mean_profiles = mean(profiles);
    row.max_profiles = *std::ranges::max_element(profiles);
    return row;
  }
};

/// In the order in which they came.
class Tallies {
 public:
  void add(const Posed& posed, const std::vector<SearchCase>& cases) {
    for (const SearchCase& one : cases) {
      of(one.strategy, "", "").add(one);
      of(one.strategy, posed.kind_text(), "").add(one);
      of(one.strategy, posed.kind_text(), posed.title()).add(one);
    }
  }
  // Totals come first, then kinds, then tables.
  std::vector<EveryRow> rows() const {
    std::vector<EveryRow> rows;
    for (const Tally& tally : tallies_) rows.push_back(tally.row());
    std::ranges::stable_sort(
        rows, {}, [](const EveryRow& row) { return !row.kind.empty() + !row.tables.empty(); });
    return rows;
  }

 private:
  Tally& of(const std::string& strategy, const std::string& kind, const std::string& tables) {
    for (Tally& tally : tallies_)
      if (tally.strategy == strategy && tally.kind == kind && tally.tables == tables) return tally;
    tallies_.push_back({strategy, kind, tables, {}, {}, 0});
    return tallies_.back();
  }

  std::vector<Tally> tallies_;
};

/// Those of one strategy on one set of tables that ended in the same error are one.
class Failures {
 public:
  void add(const Posed& posed, const std::string& strategy, size_t count, const Error& error) {
    for (EveryFailure& one : all)
      if (one.strategy == strategy && one.kind == posed.kind_text() &&
          one.tables == posed.title() && one.error.message == error.message) {
        one.count += count;
        return;
      }
    all.push_back({strategy, posed.kind_text(), posed.title(), count, error});
  }

  std::vector<EveryFailure> all;
};

/// What there is where no search came to an end.
Error nothing_left(const EveryEvaluation& evaluation) {
  if (evaluation.failures.empty())
    return {Code::infeasible, "none of the tables has a problem that can be solved",
            "give other tables, or a larger --limit"};
  const EveryFailure& first = evaluation.failures.front();
  return {first.error.code == Code::infeasible ? Code::invalid_argument : first.error.code,
          "no search came to an end: " + first.text(), first.error.hint};
}

bool is_left(const EveryRow& row) {
  return row.failed < row.solvable;
}

}  // namespace

double EveryRow::satisfied_pct() const {
  return solvable == 0 ? not_measured
                       : 100 * static_cast<double>(satisfied) / static_cast<double>(solvable);
}

std::string EveryFailure::text() const {
  if (strategy.empty())
    return fmt::format("{} {} problem{} of {} could not be posed: {}", count, kind,
                       count == 1 ? "" : "s", tables, error.message);
  return fmt::format("{} search{} of {} broke off ({} problems of {}): {}", count,
                     count == 1 ? "" : "es", strategy, kind, tables, error.message);
}

Result<EveryEvaluation> evaluate_every(const EverySweep& sweep) {
  if (const auto compared = compared_strategies(sweep.strategies); !compared)
    return compared.error();
  EveryEvaluation evaluation;
  evaluation.tables = sweep.tables.size();
  for (const WorkloadTable& table : sweep.tables) evaluation.configurations += table.size();
  const std::vector<Posed> all = all_posed(sweep);
  for (const Posed& posed : all) evaluation.problems += posed.problems;
  size_t done = 0;
  Tallies tallies;
  Failures failures;
  for (size_t i = 0; i < all.size(); ++i) {
    SearchSweep one = sweep_of(sweep, all[i]);
    if (sweep.progress)
      one.progress = [&](size_t searched, size_t searches) {
        sweep.progress(done + all[i].problems * searched / searches, evaluation.problems);
      };
    const auto cases = search(std::move(one), all[i], mix_seed(sweep.options.seed, i));
    if (cases.ok()) {
      evaluation.solvable += cases->size() / sweep.strategies.size();
      tallies.add(all[i], *cases);
      for (const SearchCase& asked : *cases)
        if (asked.error) failures.add(all[i], asked.strategy, 1, *asked.error);
    } else {
      evaluation.unposed += all[i].problems;
      failures.add(all[i], "", all[i].problems, cases.error());
    }
    done += all[i].problems;
    if (sweep.progress) sweep.progress(done, evaluation.problems);
  }
  evaluation.rows = tallies.rows();
  evaluation.failures = std::move(failures.all);
  if (std::ranges::any_of(evaluation.rows, is_left)) return evaluation;
  return nothing_left(evaluation);
}

Json to_json(const EveryEvaluation& evaluation) {
  Json rows = Json::array();
  for (const EveryRow& row : evaluation.rows)
    rows.push_back({{"strategy", row.strategy},
                    {"kind", text_or_null(row.kind)},
                    {"tables", text_or_null(row.tables)},
                    {"solvable", row.solvable},
                    {"satisfied", row.satisfied},
                    {"satisfied_pct", or_null(row.satisfied_pct())},
                    {"failed", row.failed},
                    {"median_distance_pct", or_null(row.median_distance_pct)},
                    {"mean_distance_pct", or_null(row.mean_distance_pct)},
                    {"mean_profiles", or_null(row.mean_profiles)},
                    {"max_profiles", or_null(row.max_profiles)}});
  Json failures = Json::array();
  for (const EveryFailure& one : evaluation.failures)
    failures.push_back({{"strategy", text_or_null(one.strategy)},
                        {"kind", one.kind},
                        {"tables", one.tables},
                        {"count", one.count},
                        {"message", one.error.message},
                        {"hint", one.error.hint}});
  return {{"tables", evaluation.tables},
          {"configurations", evaluation.configurations},
          {"problems", evaluation.problems},
          {"solvable", evaluation.solvable},
          {"unposed", evaluation.unposed},
          {"rows", rows},
          {"failures", failures}};
}

}  // namespace flyball
