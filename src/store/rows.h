// Measurements and runs as rows of the store's tables. No transactions here: the caller has one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sql/database.h"
#include "store/board_fact.h"
#include "store/run.h"

namespace flyball {

/// Settings as the one text by which equal settings are found: JSON, keys in order.
/// Error: a value that is not finite, a name that is not UTF-8.
Result<std::string> settings_text(const Settings& settings);
/// The id of a row that is made when it is not there yet.
Result<int64_t> id_of(Database& database, const char* select, const char* insert,
                      std::initializer_list<Value> values);

/// What tells where a row of a run or fact comes from, joined with its store as `s`.
std::string origin_columns(const char* table);
/// From these columns; nothing where it was made here.
std::optional<RunOrigin> read_origin(const Row& row, int column);

/// The row of a board, which is made when it is not there yet.
Result<int64_t> board_row(Database& database, const std::string& device,
                          const std::string& fingerprint);

Result<int64_t> insert_run(Database& database, const RunRequest& request, RunState state,
                           const std::string& answer);
/// Error not_found: there is no such run.
Result<StoredRun> select_run(Database& database, int64_t run);
Result<std::vector<StoredRun>> select_runs(Database& database);
Result<std::vector<StoredRun>> select_runs_in_record(Database& database, const std::string& record);
/// The requests of all runs on a board, by the run's number.
Result<std::map<int64_t, std::string>> select_requests(Database& database,
                                                       const std::string& device,
                                                       const std::string& fingerprint);

/// The columns of measurements that are the measurement's own: without what refers to other rows.
std::vector<std::string> measurement_columns();
Result<int64_t> insert_measurement(Database& database, const Measurement& measurement);
/// Appends a measurement to a run, unless it is there already. Error not_found: one of them does
/// not exist.
Status link_measurement(Database& database, int64_t run, int64_t measurement, bool reused);
/// The measurements of a filter; of a run in its order, else in the order they were added.
Result<std::vector<StoredMeasurement>> select_measurements(Database& database,
                                                           const MeasurementFilter& filter);
Result<std::vector<SameConditions>> select_conditions(Database& database,
                                                      const MeasurementFilter& filter);

/// Numbers it as the next run would be.
Result<int64_t> insert_board_fact(Database& database, const BoardFact& fact);
/// The latest measured first: numbers follow the order in which stores were collected.
Result<std::vector<BoardFact>> select_board_facts(Database& database,
                                                  const BoardFactFilter& filter);

/// Conditions as the one text by which equal ones are found. Error: text that is not UTF-8.
Result<std::string> conditions_text(const Conditions& conditions);
/// The row of these conditions, which is made when it is not there yet; NULL for none.
Result<Value> condition_row(Database& database, const std::optional<Conditions>& conditions);
/// Conditions as they stand in a row; nothing for NULL.
Result<std::optional<Conditions>> read_conditions(const Row& row, int column);

}  // namespace flyball
