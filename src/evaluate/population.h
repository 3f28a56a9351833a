// Many tables judged at once, summed up by kind of network: what a strategy or predictor does on
// networks that it was not made with in view.
#pragma once

#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "evaluate/drawn_problems.h"
#include "evaluate/predict_eval.h"
#include "evaluate/search_sweep.h"

namespace flyball {

/// The part of a workload's name before "__" ("compute-attention__017"), or all of it.
std::string kind_of_workload(const std::string& workload);

/// A strategy on all tables of a kind; "all": on all of them. Excess in percent over the solved
/// problems of all its tables, NaN where there are none.
struct SearchKindRow {
  std::string strategy, kind;
  size_t tables = 0, solvable = 0, solved = 0;
  double median_excess_pct = 0, mean_excess_pct = 0, p90_excess_pct = 0;
  std::string worst_table;  ///< the one with the largest mean excess
  double worst_mean_excess_pct = 0;
  double mean_profiles = 0;  ///< over the solvable problems
};
struct SearchPopulation {
  std::vector<SearchKindRow> kinds;
  std::vector<SearchCase> cases;  ///< each search of each table
};
/// `sweep` says all but the tables and, where it has none, the problems: `draws` of them for each
/// table. Tables without a solvable problem are left out. Errors: of evaluate_search(); a kind of
/// problem with two roles.
Result<SearchPopulation> evaluate_search_population(const SearchSweep& sweep,
                                                    const std::vector<WorkloadTable>& tables,
                                                    size_t draws);

/// A predictor, design and number of modes on all tables of a kind. Errors in percent: over the
/// tables, of the median over their runs.
struct PredictKindRow {
  std::string predictor, design, kind;
  size_t modes = 0, tables = 0;
  double time_median = 0, time_p90 = 0, time_worst = 0;
  double power_median = 0, power_p90 = 0, power_worst = 0;
  double time_coverage90 = 0, power_coverage90 = 0;  ///< medians over the tables
};
/// `evaluation` says all but the target. Tables with fewer configurations than asked for are an
/// error, as in evaluate_predict().
Result<std::vector<PredictKindRow>> evaluate_predict_population(
    const PredictEvaluation& evaluation, const std::vector<WorkloadTable>& tables);

Json to_json(const SearchKindRow& row);
Json to_json(const PredictKindRow& row);

}  // namespace flyball
