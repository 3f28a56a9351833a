#include "evaluate/population.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

#include "base/json.h"
#include "base/random.h"
#include "base/statistics.h"
#include "evaluate/references.h"

namespace flyball {
namespace {

const std::string every_kind = "all";

/// What one strategy did on the tables of one kind.
struct Pool {
  size_t tables = 0, solvable = 0;
  std::vector<double> excess;
  double profiles = 0, worst = -1;
  std::string worst_table;

  void add(const std::string& title, std::span<const SearchCase* const> cases) {
    ++tables;
    double sum = 0;
    size_t solved = 0;
    for (const SearchCase* one : cases) {
      ++solvable;
      profiles += static_cast<double>(one->profiles);
      if (std::isnan(one->answer)) continue;
      excess.push_back(one->excess_pct);
      sum += excess.back();
      ++solved;
    }
    if (solved == 0 || sum / static_cast<double>(solved) <= worst) return;
    worst = sum / static_cast<double>(solved);
    worst_table = title;
  }
  SearchKindRow row(const std::string& strategy, const std::string& kind) const {
    SearchKindRow row;
    row.strategy = strategy;
    row.kind = kind;
    row.tables = tables;
    row.solvable = solvable;
    row.solved = excess.size();
    row.mean_profiles = solvable ? profiles / static_cast<double>(solvable) : NAN;
    row.worst_table = worst_table;
    row.worst_mean_excess_pct = excess.empty() ? NAN : worst;
    row.median_excess_pct = excess.empty() ? NAN : median(excess);
    row.mean_excess_pct = excess.empty() ? NAN : mean(excess);
    row.p90_excess_pct = excess.empty() ? NAN : quantile(excess, 0.9);
    return row;
  }
};

}  // namespace

std::string kind_of_workload(const std::string& workload) {
  return workload.substr(0, workload.find("__"));
}

Result<SearchPopulation> evaluate_search_population(const SearchSweep& sweep,
                                                    const std::vector<WorkloadTable>& tables,
                                                    size_t draws) {
  if (sweep.kind != ProblemKind::training && sweep.kind != ProblemKind::inference)
    return Error{Code::invalid_argument,
                 fmt::format("a {} problem needs two tables", kind_name(sweep.kind)),
                 "a folder of tables serves --problem training and inference"};
  std::map<std::pair<std::string, std::string>, Pool> pools;  // by strategy and kind
  SearchPopulation population;
  for (size_t t = 0; t < tables.size(); ++t) {
    SearchSweep one = sweep;
    one.tables = {&tables[t]};
    if (one.problems.empty())
      one.problems = draw_problems(sweep.kind, tables[t], draws, mix_seed(sweep.options.seed, t));
    one.progress = nullptr;
    auto evaluation = evaluate_search(one);
    if (!evaluation) return evaluation.error().within(tables[t].title());
    for (const std::string& strategy : sweep.strategies) {
      std::vector<const SearchCase*> cases;
      for (const SearchCase& found : evaluation->cases)
        if (found.strategy == strategy) cases.push_back(&found);
      if (cases.empty()) continue;
      for (const std::string& kind : {every_kind, kind_of_workload(tables[t].workload)})
        pools[{strategy, kind}].add(tables[t].title(), cases);
    }
    std::ranges::move(evaluation->cases, std::back_inserter(population.cases));
    if (sweep.progress) sweep.progress(t + 1, tables.size());
  }
  for (const auto& [key, pool] : pools) population.kinds.push_back(pool.row(key.first, key.second));
  if (!population.kinds.empty()) return population;
  return Error{Code::infeasible, "none of the tables has a problem that can be solved",
               "give other --problems, or more --draws"};
}

Result<std::vector<PredictKindRow>> evaluate_predict_population(
    const PredictEvaluation& evaluation, const std::vector<WorkloadTable>& tables) {
  struct Errors {
    PredictKindRow row;
    std::vector<double> time, power, time_cover, power_cover;
  };
  std::vector<Errors> all;
  const auto of = [&](const PredictRow& row, const std::string& kind) -> Errors& {
    for (Errors& errors : all)
      if (errors.row.predictor == row.predictor && errors.row.design == row.design &&
          errors.row.modes == row.modes && errors.row.kind == kind)
        return errors;
    all.push_back({{row.predictor, row.design, kind, row.modes}, {}, {}, {}, {}});
    return all.back();
  };
  for (size_t t = 0; t < tables.size(); ++t) {
    PredictEvaluation one = evaluation;
    one.target = tables[t];
    one.references = references_for(tables[t], evaluation.references);
    one.progress = nullptr;
    const auto report = evaluate_predict(one);
    if (!report) return report.error().within(tables[t].title());
    for (const PredictRow& row : report->rows) {
      if (!row.error.empty()) continue;
      for (const std::string& kind : {every_kind, kind_of_workload(tables[t].workload)}) {
        Errors& errors = of(row, kind);
        ++errors.row.tables;
        const auto keep = [](std::vector<double>& to, double value) {
          if (std::isfinite(value)) to.push_back(value);
        };
        keep(errors.time, row.time_mape.median);
        keep(errors.power, row.power_mape.median);
        keep(errors.time_cover, row.time_coverage90);
        keep(errors.power_cover, row.power_coverage90);
      }
    }
    if (evaluation.progress) evaluation.progress(t + 1, tables.size());
  }
  std::vector<PredictKindRow> rows;
  for (Errors& errors : all) {
    const auto at = [](const std::vector<double>& values, double q) {
      return values.empty() ? NAN : quantile(values, q);
    };
    PredictKindRow& row = errors.row;
    row.time_median = at(errors.time, 0.5), row.power_median = at(errors.power, 0.5);
    row.time_p90 = at(errors.time, 0.9), row.power_p90 = at(errors.power, 0.9);
    row.time_worst = at(errors.time, 1), row.power_worst = at(errors.power, 1);
    row.time_coverage90 = at(errors.time_cover, 0.5);
    row.power_coverage90 = at(errors.power_cover, 0.5);
    rows.push_back(row);
  }
  return rows;
}

Json to_json(const SearchKindRow& row) {
  return {{"strategy", row.strategy},
          {"kind", row.kind},
          {"tables", row.tables},
          {"solvable", row.solvable},
          {"solved", row.solved},
          {"median_excess_pct", or_null(row.median_excess_pct)},
          {"mean_excess_pct", or_null(row.mean_excess_pct)},
          {"p90_excess_pct", or_null(row.p90_excess_pct)},
          {"worst_table", row.worst_table},
          {"worst_mean_excess_pct", or_null(row.worst_mean_excess_pct)},
          {"mean_profiles", or_null(row.mean_profiles)}};
}

Json to_json(const PredictKindRow& row) {
  const auto spread = [](double median, double p90, double worst) {
    return Json{{"median", or_null(median)}, {"p90", or_null(p90)}, {"worst", or_null(worst)}};
  };
  return {{"predictor", row.predictor},
          {"design", row.design},
          {"modes", row.modes},
          {"kind", row.kind},
          {"tables", row.tables},
          {"time_mape", spread(row.time_median, row.time_p90, row.time_worst)},
          {"power_mape", spread(row.power_median, row.power_p90, row.power_worst)},
          {"time_coverage90", or_null(row.time_coverage90)},
          {"power_coverage90", or_null(row.power_coverage90)}};
}

}  // namespace flyball
