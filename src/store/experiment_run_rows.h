// Runs of experiments as rows of the store's tables. No transactions here: the caller has one.
#pragma once

#include <vector>

#include "sql/database.h"
#include "store/experiment_run.h"

namespace flyball {

/// Adds a row, and appends it to a run. Error not_found: there is no such run.
Result<int64_t> insert_experiment_run(Database& database, const ExperimentRun& row, int64_t run);
/// Appends a row to a run, unless it is there already. Error not_found: one of them does not exist.
Status link_experiment_run(Database& database, int64_t run, int64_t row, bool reused);
/// Of a run in its order, else in the order they were added.
Result<std::vector<ExperimentRun>> select_experiment_runs(Database& database,
                                                          const ExperimentRunFilter& filter);
/// Those that no run refers to any more.
Status delete_orphaned_experiment_runs(Database& database);

}  // namespace flyball
