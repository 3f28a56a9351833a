// Measurements and runs as rows of the store's tables. No transactions here: the caller has one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/run.h"

namespace flyball {

/// Settings as the one text by which equal settings are found: JSON, keys in order.
/// Error: a value that is not finite, a name that is not UTF-8.
Result<std::string> settings_text(const Settings& settings);

Result<int64_t> insert_run(Database& database, const RunRequest& request, RunState state,
                           const std::string& answer);
/// Error not_found: there is no such run.
Result<StoredRun> select_run(Database& database, int64_t run);
Result<std::vector<StoredRun>> select_runs(Database& database);

Result<int64_t> insert_measurement(Database& database, const Measurement& measurement);
/// Appends a measurement to a run, unless it is there already. Error not_found: one of them does
/// not exist.
Status link_measurement(Database& database, int64_t run, int64_t measurement, bool reused);
/// The measurements of a filter; of a run in its order, else in the order they were added.
Result<std::vector<StoredMeasurement>> select_measurements(Database& database,
                                                           const MeasurementFilter& filter);
Result<std::optional<StoredMeasurement>> select_latest(Database& database,
                                                       const Conditions& conditions,
                                                       const Trial& trial);

}  // namespace flyball
