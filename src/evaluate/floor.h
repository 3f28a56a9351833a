// The noise of a table: what a strong smoother that knows nine rows in ten still gets wrong.
#pragma once

#include <vector>

#include "space/table.h"

namespace flyball {

/// One entry for each of ten folds; every row is predicted once, from the other nine tenths.
struct Floor {
  std::vector<double> time_mape, power_mape;    ///< percent; power empty where there is none
  std::vector<double> time_mdape, power_mdape;  ///< medians, percent
  double fit_s = 0, predict_s = 0;              ///< time and power together, all folds
};

/// Ordinary kriging on logarithms (Matérn 5/2 over the 60 nearest of the training rows, after a
/// quadratic trend); length scales and noise are those of least cross-validation error.
/// Configurations must be distinct. Errors: fewer than 30 rows. Equal for any number of threads.
Result<Floor> noise_floor(const WorkloadTable& table, uint64_t seed, size_t threads = 0);

}  // namespace flyball
