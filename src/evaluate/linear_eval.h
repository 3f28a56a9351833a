// The characterisation study's linear predictors, fitted again to its own figures: what they
// predict in every mode, beside what the study printed (POMACS 6(3), 2022, section 5.7).
#pragma once

#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "baselines/linear.h"
#include "baselines/linear_study.h"

namespace flyball {

/// A figure of one network in one mode; NaN where none is published.
struct LinearFigure {
  double observed = 0, predicted = 0, error_pct = 0;
  double published_error_pct = 0;  ///< of the study's own prediction
};
struct LinearRow {
  std::string mode;
  LinearFigure time;    ///< s of an epoch
  LinearFigure energy;  ///< mWh of an epoch, predicted from the predicted time
};
struct LinearNetwork {
  std::string workload;
  bool ab_initio = false;  ///< neither the modes nor the energy were fitted to it
  std::vector<LinearRow> rows;
  /// Means over the modes in percent; NaN where nothing is observed or published.
  double time_error_pct = 0, published_time_error_pct = 0;
  double energy_error_pct = 0, published_energy_error_pct = 0;
};

/// Modes to fit on, and the errors that they lead to.
struct LinearSubset {
  std::string modes;
  double rmse_s = 0;  ///< over all modes, added up over the networks that are not ab initio
};

struct LinearCoefficient {
  std::string axis;      ///< "" is the offset
  double value = 0;      ///< mWh; with an axis mWh/s per core or MHz
  double recovered = 0;  ///< what the printed predictions give back
};

struct LinearReport {
  std::string fitted;  ///< modes that the times are fitted on
  std::vector<LinearNetwork> networks;
  size_t predictions = 0, under_10_pct = 0, published_under_10_pct = 0;
  std::vector<std::string> over_15_pct, published_over_15_pct;  ///< "lenet5 b"
  std::vector<LinearSubset> subsets;                            ///< all of them, best first
  std::vector<LinearCoefficient> energy;
};

/// Errors: the study's file, or one without the modes that it chose.
Result<LinearReport> evaluate_linear(const LinearStudy& study);
/// `most_subsets`: so many of the best.
Json to_json(const LinearReport& report, size_t most_subsets);

}  // namespace flyball
