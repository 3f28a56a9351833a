// Predictors judged on a measured table: profile a few of its modes, predict them all, compare.
#pragma once

#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/statistics.h"
#include "evaluate/evaluation.h"

namespace flyball {

/// What to evaluate: every predictor × design × number of modes, `runs` times each.
struct PredictEvaluation : Evaluation {
  std::vector<size_t> modes;
  std::vector<std::string> designs = {"random"};
  bool floor = false;  ///< add the error of a strong smoother trained on 90 % of the rows
};

/// Over the runs: quartiles of the mean absolute percentage error over all configurations of the
/// table (profiled ones included, as predicted), medians of the rest.
struct PredictRow {
  std::string predictor, design;
  size_t modes = 0, runs = 0;
  Quartiles time_mape, power_mape;                   ///< percent
  double time_mdape = 0, power_mdape = 0;            ///< median absolute percentage error
  double time_coverage90 = 0, power_coverage90 = 0;  ///< fraction inside the 90 % interval
  double time_width90 = 0,
         power_width90 = 0;         ///< median width of the interval, percent of the mean
  double extrapolated = 0;          ///< fraction of the configurations outside of the profiled box
  double fit_s = 0, predict_s = 0;  ///< wall seconds of one run
  std::vector<std::string> notes;   ///< what the predictor said in the first run
  std::string error;                ///< why there are no figures; "" when there are
};

struct PredictReport {
  std::string target;
  bool has_power = false;                  ///< without power all power figures are NaN
  size_t configurations = 0, repeats = 0;  ///< repeats: rows beyond the distinct configurations
  std::vector<std::string> references;
  std::vector<PredictRow> rows;
};

/// Errors: no such predictor or design, more modes than the table has, or every row failed. A
/// predictor that fails (too few rows for it, …) has a row with its error.
Result<PredictReport> evaluate_predict(const PredictEvaluation& evaluation);

/// {"target", "configurations", "references", "rows": [{"predictor", "design", "modes", "runs",
/// "time_mape": {"median", "q1", "q3"}, …}]}; figures that do not exist are null.
Json to_json(const PredictReport& report);

}  // namespace flyball
