#include <fmt/format.h>

#include "base/clock.h"
#include "sql/process.h"
#include "store/rows.h"

namespace flyball {
namespace {

constexpr const char* runs_sql = R"sql(
SELECT r.id, command, request, device, fingerprint, seed, started_utc, finished_utc, state, answer,
  process, (SELECT COUNT(*) FROM run_measurements WHERE run_id = r.id),
  (SELECT COUNT(*) FROM run_measurements WHERE run_id = r.id AND reused) +
  (SELECT COUNT(*) FROM run_experiment_runs WHERE run_id = r.id AND reused),
  (SELECT entries FROM conditions c WHERE c.id = condition_id),
  (SELECT COUNT(*) FROM run_experiment_runs WHERE run_id = r.id), record, {}
FROM runs r LEFT JOIN stores s ON s.id = r.store_id {}
)sql";

Result<StoredRun> read_run(const Row& row) {
  StoredRun run;
  run.id = row.integer(0);
  run.request = {
      row.text(1), row.text(2), row.text(3), row.text(4), static_cast<uint64_t>(row.integer(5)),
      {}};
  FLYBALL_ASSIGN(run.request.conditions, read_conditions(row, 13));
  run.request.record = row.text(15);
  run.started_utc = row.text(6);
  run.finished_utc = row.text(7);
  FLYBALL_ASSIGN(run.state, parse_run_state(row.text(8)));
  run.answer = row.text(9);
  // Whoever was killed could not say so.
  if (run.state == RunState::running && !is_running(row.text(10)))
    run.state = RunState::interrupted;
  run.measurements = static_cast<size_t>(row.integer(11));
  run.reused = static_cast<size_t>(row.integer(12));
  run.experiment_runs = static_cast<size_t>(row.integer(14));
  run.origin = read_origin(row, 16);
  return run;
}

Result<std::vector<StoredRun>> select(Database& database, const std::string& where,
                                      std::initializer_list<Value> values) {
  std::vector<StoredRun> runs;
  FLYBALL_CHECK(database.run(fmt::format(runs_sql, origin_columns("r"), where), values,
                             [&](const Row& row) -> Status {
                               FLYBALL_ASSIGN(StoredRun run, read_run(row));
                               runs.push_back(std::move(run));
                               return {};
                             }));
  return runs;
}

Error no_run(const Database& database, int64_t run) {
  return {Code::not_found, fmt::format("there is no run {} in {}", run, database.path().string()),
          "`flyball runs list` shows those there are"};
}

}  // namespace

std::string origin_columns(const char* table) {
  return fmt::format(
      "s.store, CASE WHEN s.board = '' THEN s.name ELSE s.board END, {}.store_run, "
      "CASE WHEN s.board = '' THEN s.store ELSE s.board END",
      table);
}

std::optional<RunOrigin> read_origin(const Row& row, int column) {
  if (row.is_null(column)) return {};
  return RunOrigin{row.text(column), row.text(column + 1), row.integer(column + 2),
                   row.text(column + 3)};
}

Result<int64_t> insert_run(Database& database, const RunRequest& request, RunState state,
                           const std::string& answer) {
  const std::string now = wall_clock_utc();
  FLYBALL_ASSIGN(const Value condition, condition_row(database, request.conditions));
  FLYBALL_CHECK(database.run(
      "INSERT INTO runs(command, request, device, fingerprint, seed, started_utc, finished_utc, "
      "state, answer, process, condition_id, record) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      {request.command, request.request, request.device, request.fingerprint, request.seed, now,
       state == RunState::running ? "" : now, run_state_name(state), answer, process_identity(),
       condition, request.record}));
  return database.last_id();
}

Result<StoredRun> select_run(Database& database, int64_t run) {
  FLYBALL_ASSIGN(std::vector<StoredRun> found, select(database, "WHERE r.id = ?", {run}));
  if (found.empty()) {
    FLYBALL_ASSIGN(const auto facts, select_board_facts(database, {.id = run}));
    if (facts.empty()) return no_run(database, run);
    return Error{Code::not_found,
                 fmt::format("run {} has no trials: it measured {} of {}", run,
                             board_fact_name(facts.front().kind), facts.front().device),
                 fmt::format("`flyball runs show {}` shows it", run)};
  }
  return std::move(found.front());
}

// Runs that were collected have numbers in the order in which they came.
Result<std::vector<StoredRun>> select_runs(Database& database) {
  return select(database, "ORDER BY r.started_utc DESC, r.id DESC", {});
}

Result<std::vector<StoredRun>> select_runs_in_record(Database& database,
                                                     const std::string& record) {
  return select(database, "WHERE record = ? AND r.store_id IS NULL ORDER BY r.id", {record});
}

Result<std::map<int64_t, std::string>> select_requests(Database& database,
                                                       const std::string& device,
                                                       const std::string& fingerprint) {
  std::map<int64_t, std::string> requests;
  FLYBALL_CHECK(database.run("SELECT id, request FROM runs WHERE device = ? AND fingerprint = ?",
                             {device, fingerprint}, [&](const Row& row) -> Status {
                               requests[row.integer(0)] = row.text(1);
                               return {};
                             }));
  return requests;
}

Status link_measurement(Database& database, int64_t run, int64_t measurement, bool reused) {
  FLYBALL_ASSIGN(const int64_t runs,
                 database.integer("SELECT COUNT(*) FROM runs WHERE id = ?", {run}));
  if (runs == 0) return no_run(database, run);
  FLYBALL_CHECK(database.run(
      "INSERT INTO run_measurements SELECT ?1, "
      "(SELECT COALESCE(MAX(position) + 1, 0) FROM run_measurements WHERE run_id = ?1), id, ?3 "
      "FROM measurements WHERE id = ?2 AND NOT EXISTS "
      "(SELECT 1 FROM run_measurements WHERE measurement_id = ?2 AND run_id = ?1)",
      {run, measurement, reused}));
  if (database.changes() == 1) return {};
  FLYBALL_ASSIGN(const int64_t known,
                 database.integer("SELECT COUNT(*) FROM measurements WHERE id = ?", {measurement}));
  if (known > 0) return {};
  return Error{
      Code::not_found,
      fmt::format("there is no measurement {} in {}", measurement, database.path().string()),
      "it may have been deleted with its run"};
}

}  // namespace flyball
