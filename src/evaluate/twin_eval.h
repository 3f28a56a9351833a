// The twin judged on measured tables: what it would have put in their place.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "space/table.h"
#include "twin/calibrate.h"

namespace flyball {

/// Errors over some rows; in percent, NaN where there is no such reading.
struct TwinEvalRow {
  std::string rows;  ///< "all", "resnet18 train on orin_agx", "batch_size 16", "uncontradicted"
  size_t configurations = 0;
  double time_mape = 0, power_mape = 0;    ///< mean absolute error
  double time_mdape = 0, power_mdape = 0;  ///< its median
  double time_bias = 0, power_bias = 0;    ///< mean error
};

struct TwinReport {
  std::vector<std::string> targets;  ///< titles
  std::vector<TwinEvalRow> rows;     ///< all of them first
  std::string calibrated;            ///< what the boards' constants were fitted to
};

/// The workload that stands behind a table, by its name and phase; BoFL's tables are of batches
/// that lie in memory.
Result<TwinCase> twin_case(const WorkloadTable& table);
/// Each row of each table simulated (40 minibatches) on the board that the table names, its power
/// that of the table's total. Errors: totals, boards and networks that the twin does not know; no
/// rows. `set`: constants by name that are others for this once, to see what a term brings.
Result<TwinReport> evaluate_twin(std::span<const WorkloadTable> tables,
                                 const std::map<std::string, double>& set = {});
Json to_json(const TwinReport& report);

}  // namespace flyball
