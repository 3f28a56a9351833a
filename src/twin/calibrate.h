// Fits the constants of a board to tables that were measured on it. The constants are of the board
// or of a kind of layer there, never of a workload.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "space/table.h"
#include "twin/twin.h"

namespace flyball {

/// A measured table with the workload that the twin runs in its place.
struct TwinCase {
  TwinWorkload workload;
  const WorkloadTable* table = nullptr;
};
/// Configuration of a row of the table.
TwinConfiguration twin_configuration(const WorkloadTable& table, size_t row);

/// What a table would hold of a configuration.
struct TwinReading {
  double minibatch_ms = 0;  ///< median: a burst of a loader that is behind does not show in it
  double mean_ms = 0;  ///< over the last whole rounds of the loader's workers: what an epoch takes
  double power_w = 0;  ///< mean, of the total that was asked for
};
/// Of minibatches whose only randomness is what samples differ by, the same at every call. `total`:
/// as a table names it (twin_power_of()); what it has not is an error.
Result<TwinReading> twin_reading(const TwinBoard& board, const TwinNetwork& network,
                                 const TwinWorkload& workload,
                                 const TwinConfiguration& configuration, int minibatches,
                                 const std::string& total);

struct TwinFitOptions {
  size_t rows = 200;  ///< of each table, spread evenly over it
  int rounds = 30;
  int minibatches = 40;            ///< that the medians of the tables are of
  double prior = 0.02;             ///< weight of staying where a constant is, per e-fold
  std::vector<std::string> fixed;  ///< constants that stay
};

struct TwinFit {
  TwinConstants constants;
  double loss_before = 0, loss = 0;  ///< mean robust loss of a row
  int rounds = 0;
  std::vector<std::string> at_bound;  ///< constants that would have left their bounds
};

/// Robust least squares (Levenberg and Marquardt, with Cauchy weights) on the logarithms of times
/// and of power, of the total that each table names. Errors: no rows, configurations and totals
/// that the board has not.
Result<TwinFit> calibrate_twin(const TwinBoard& board, std::span<const TwinCase> cases,
                               const TwinFitOptions& options);

}  // namespace flyball
