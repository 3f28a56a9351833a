#include "store/experiment_run_rows.h"

#include <fmt/format.h>

#include "store/rows.h"

namespace flyball {
namespace {

Result<ExperimentRun> read_row(const Row& row) {
  ExperimentRun found;
  found.id = row.integer(0);
  found.device = row.text(1);
  found.fingerprint = row.text(2);
  FLYBALL_ASSIGN(found.conditions, read_conditions(row, 3));
  found.settings = row.text(4);
  found.repeat = static_cast<int>(row.integer(5));
  found.figures = row.text(6);
  if (!row.is_null(7)) found.run = row.integer(7);
  found.reused = row.integer(8) != 0;
  return found;
}

}  // namespace

Result<int64_t> insert_experiment_run(Database& database, const ExperimentRun& row, int64_t run) {
  FLYBALL_ASSIGN(const int64_t board, board_row(database, row.device, row.fingerprint));
  FLYBALL_ASSIGN(const Value condition, condition_row(database, row.conditions));
  FLYBALL_CHECK(
      database.run("INSERT INTO experiment_runs(board_id, condition_id, settings, repeat, figures) "
                   "VALUES(?, ?, ?, ?, ?)",
                   {board, condition, row.settings, row.repeat, row.figures}));
  const int64_t id = database.last_id();
  FLYBALL_CHECK(link_experiment_run(database, run, id, false));
  return id;
}

Status link_experiment_run(Database& database, int64_t run, int64_t row, bool reused) {
  FLYBALL_CHECK(select_run(database, run));
  FLYBALL_CHECK(database.run(
      "INSERT INTO run_experiment_runs SELECT ?1, "
      "(SELECT COALESCE(MAX(position) + 1, 0) FROM run_experiment_runs WHERE run_id = ?1), id, ?3 "
      "FROM experiment_runs WHERE id = ?2 AND NOT EXISTS "
      "(SELECT 1 FROM run_experiment_runs WHERE experiment_run_id = ?2 AND run_id = ?1)",
      {run, row, reused}));
  if (database.changes() == 1) return {};
  FLYBALL_ASSIGN(const int64_t known,
                 database.integer("SELECT COUNT(*) FROM experiment_runs WHERE id = ?", {row}));
  if (known > 0) return {};
  return Error{
      Code::not_found,
      fmt::format("there is no run {} of an experiment in {}", row, database.path().string()),
      "it may have been deleted with the run that made it"};
}

Result<std::vector<ExperimentRun>> select_experiment_runs(Database& database,
                                                          const ExperimentRunFilter& filter) {
  std::vector<ExperimentRun> found;
  FLYBALL_CHECK(database.run(
      "SELECT e.id, b.device, b.fingerprint, c.entries, e.settings, e.repeat, e.figures, "
      "(SELECT MIN(run_id) FROM run_experiment_runs WHERE experiment_run_id = e.id AND NOT reused),"
      " l.reused FROM experiment_runs e JOIN boards b ON b.id = e.board_id "
      "LEFT JOIN conditions c ON c.id = e.condition_id "
      "LEFT JOIN run_experiment_runs l ON l.experiment_run_id = e.id AND l.run_id = ?1 "
      "WHERE (?1 IS NULL OR l.run_id = ?1) AND (?2 IS NULL OR b.fingerprint = ?2) "
      "AND (NOT ?3 OR e.store_id IS NULL) "
      "ORDER BY l.position, e.id",
      {filter.run ? Value(*filter.run) : Value(),
       filter.fingerprint ? Value(*filter.fingerprint) : Value(), filter.own},
      [&](const Row& row) -> Status {
        FLYBALL_ASSIGN(ExperimentRun one, read_row(row));
        found.push_back(std::move(one));
        return {};
      }));
  return found;
}

Status delete_orphaned_experiment_runs(Database& database) {
  return database.run(
      "DELETE FROM experiment_runs WHERE NOT EXISTS "
      "(SELECT 1 FROM run_experiment_runs WHERE experiment_run_id = experiment_runs.id)");
}

}  // namespace flyball
