#include "store/schema.h"

#include <fmt/format.h>

#include <array>

#include "base/clock.h"

namespace flyball {
namespace {

// "FLYB": tells a store from any other SQLite file.
constexpr int64_t application_id = 0x464c5942;

// A step that has been released is never edited: write the next one.
constexpr std::array migrations_list = {
    R"sql(
CREATE TABLE migrations(
  version INTEGER PRIMARY KEY,
  applied_utc TEXT NOT NULL,
  flyball TEXT NOT NULL);
CREATE TABLE runs(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  command TEXT NOT NULL,
  request TEXT NOT NULL,
  device TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  seed INTEGER NOT NULL,
  started_utc TEXT NOT NULL,
  finished_utc TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL CHECK(state IN ('running', 'done', 'interrupted', 'failed')),
  answer TEXT NOT NULL DEFAULT '',
  process TEXT NOT NULL);
CREATE TABLE conditions(
  id INTEGER PRIMARY KEY,
  device TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  UNIQUE(device, fingerprint));
CREATE TABLE jobs(
  id INTEGER PRIMARY KEY,
  workload TEXT NOT NULL,
  phase TEXT NOT NULL,
  settings TEXT NOT NULL,
  UNIQUE(workload, phase, settings));
CREATE TABLE measurements(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  condition_id INTEGER NOT NULL REFERENCES conditions(id),
  job_id INTEGER NOT NULL REFERENCES jobs(id),
  mode TEXT NOT NULL,
  provenance TEXT NOT NULL,
  minibatch_ms REAL, noise REAL, stall_ms REAL, compute_ms REAL,
  first_stall_ms REAL, first_compute_ms REAL, first_e2e_ms REAL,
  minibatches BLOB NOT NULL,
  power_total TEXT,
  power_w REAL, power_noise REAL,
  power_samples_wanted INTEGER, power_samples_got INTEGER, power_updates INTEGER,
  power_energy_j REAL, power_window_s REAL,
  power_trace BLOB NOT NULL,
  power_gap TEXT NOT NULL,
  stop_reason TEXT NOT NULL,
  settle_s REAL, warm_up_s REAL, total_s REAL,
  throttled INTEGER NOT NULL,
  repeated INTEGER NOT NULL,
  failure TEXT NOT NULL,
  started_utc TEXT NOT NULL,
  seed INTEGER NOT NULL);
CREATE INDEX measurements_by_trial ON measurements(condition_id, job_id, mode, provenance);
CREATE TABLE run_measurements(
  run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  measurement_id INTEGER NOT NULL REFERENCES measurements(id),
  reused INTEGER NOT NULL,
  PRIMARY KEY(run_id, position)) WITHOUT ROWID;
CREATE INDEX run_measurements_by_measurement ON run_measurements(measurement_id);
)sql",
    // Conditions besides the board: NULL where they were not kept yet. A table's rows have none:
    // its content is its fingerprint.
    R"sql(
ALTER TABLE conditions RENAME TO boards;
ALTER TABLE measurements RENAME COLUMN condition_id TO board_id;
CREATE TABLE conditions(id INTEGER PRIMARY KEY, entries TEXT NOT NULL UNIQUE);
INSERT INTO conditions(entries) VALUES('{}');
ALTER TABLE measurements ADD COLUMN condition_id INTEGER REFERENCES conditions(id);
ALTER TABLE runs ADD COLUMN condition_id INTEGER REFERENCES conditions(id);
UPDATE measurements SET condition_id = 1 WHERE provenance = 'table';
UPDATE runs SET condition_id = 1 WHERE fingerprint LIKE 'table of %';
)sql",
    // Cores that other processes kept busy during a live trial: NULL where it is not known.
    R"sql(
ALTER TABLE measurements ADD COLUMN other_cores REAL;
)sql",
    // What programs report of their trials, such as accuracy.
    R"sql(
ALTER TABLE measurements ADD COLUMN figures TEXT NOT NULL DEFAULT '{}';
)sql",
    // Did anybody look whether the board throttled? Of what was kept before, nobody knows.
    R"sql(
ALTER TABLE measurements ADD COLUMN throttling_watched INTEGER NOT NULL DEFAULT 0;
)sql",
    // What was measured of a board was kept as a run without trials. Facts keep the numbers of
    // those runs, and take theirs from the same sequence, so that no number ever means two things.
    R"sql(
CREATE TABLE board_facts(
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK(kind IN ('idle power', 'switch cost', 'roofs')),
  device TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  json TEXT NOT NULL,
  measured_utc TEXT NOT NULL,
  command TEXT NOT NULL);
INSERT INTO board_facts
  SELECT id, json_extract(request, '$.board'), device, fingerprint, answer, started_utc, command
  FROM runs WHERE state = 'done' AND CASE WHEN json_valid(request)
    THEN json_extract(request, '$.board') IN ('idle power', 'switch cost', 'roofs') ELSE 0 END
  AND NOT EXISTS (SELECT 1 FROM run_measurements WHERE run_id = id);
DELETE FROM runs WHERE id IN (SELECT id FROM board_facts);
UPDATE board_facts SET measured_utc = json_extract(json, '$.measured_utc')
  WHERE CASE WHEN json_valid(json)
    THEN json_type(json, '$.measured_utc') = 'text' ELSE 0 END;
INSERT INTO sqlite_sequence(name, seq)
  SELECT 'runs', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'runs');
)sql",
    // What was said in words: how a measurement came to be and what its times are those of (by the
    // reason to stop), who measured beside it (a condition), clocks that were seen (figures).
    R"sql(
ALTER TABLE measurements ADD COLUMN origin TEXT NOT NULL DEFAULT 'live';
ALTER TABLE measurements ADD COLUMN span TEXT NOT NULL DEFAULT 'minibatch';
ALTER TABLE measurements ADD COLUMN disturbed_by TEXT NOT NULL DEFAULT '';
ALTER TABLE measurements ADD COLUMN clocks TEXT NOT NULL DEFAULT '[]';
UPDATE measurements SET origin = CASE
  WHEN stop_reason = 'read from the table' THEN 'table'
  WHEN stop_reason = 'read from a table' OR provenance IN ('table', 'predicted') THEN 'imported'
  WHEN stop_reason = 'told by the program' THEN 'told'
  WHEN provenance = 'simulated' THEN 'simulated' ELSE 'live' END;
UPDATE measurements SET span = 'whole run'
  WHERE stop_reason = 'the program marks no minibatches: its whole run is measured';
CREATE TEMP TABLE disturbed AS
  SELECT id, json_extract(entries, '$."disturbed by"') AS by,
    json_remove(entries, '$."disturbed by"') AS entries
  FROM conditions WHERE CASE WHEN json_valid(entries)
    THEN json_type(entries, '$."disturbed by"') = 'text' ELSE 0 END;
INSERT OR IGNORE INTO conditions(entries) SELECT entries FROM disturbed WHERE entries <> '{}';
UPDATE measurements SET
  disturbed_by = (SELECT by FROM disturbed d WHERE d.id = condition_id),
  condition_id = (SELECT c.id FROM disturbed d JOIN conditions c ON c.entries = d.entries
                  WHERE d.id = condition_id AND c.entries <> '{}')
  WHERE condition_id IN (SELECT id FROM disturbed);
DROP TABLE disturbed;
CREATE TEMP TABLE seen AS
  SELECT m.id, a.key AS axis, f.value AS mean, l.value AS least
  FROM (SELECT id, mode, figures FROM measurements
        WHERE figures <> '{}' AND json_valid(mode) AND json_valid(figures)) m,
    json_each(m.mode) a, json_each(m.figures) f, json_each(m.figures) l
  WHERE f.key = a.key || ' seen' AND l.key = a.key || ' seen least'
    AND f.type IN ('real', 'integer') AND l.type IN ('real', 'integer')
  ORDER BY m.id, a.key;
CREATE INDEX temp.seen_by_id ON seen(id);
UPDATE measurements SET clocks =
    (SELECT json_group_array(json_object('axis', axis, 'mean', mean, 'least', least))
     FROM seen WHERE seen.id = measurements.id),
  figures = (
    WITH RECURSIVE
      numbered(n, axis) AS (SELECT row_number() OVER (ORDER BY axis), axis FROM seen
                            WHERE seen.id = measurements.id),
      rest(n, json) AS (
        SELECT 0, measurements.figures UNION ALL
        SELECT rest.n + 1,
          json_remove(json, '$."' || axis || ' seen"', '$."' || axis || ' seen least"')
        FROM rest JOIN numbered ON numbered.n = rest.n + 1)
    SELECT json FROM rest ORDER BY n DESC LIMIT 1)
  WHERE id IN (SELECT id FROM seen);
DROP TABLE seen;
)sql",
    // Runs of experiments: their settings are texts, too, and each has figures of every epoch.
    R"sql(
CREATE TABLE experiment_runs(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  board_id INTEGER NOT NULL REFERENCES boards(id),
  condition_id INTEGER REFERENCES conditions(id),
  settings TEXT NOT NULL,
  repeat INTEGER NOT NULL,
  figures TEXT NOT NULL);
CREATE INDEX experiment_runs_by_board ON experiment_runs(board_id);
CREATE TABLE run_experiment_runs(
  run_id INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  experiment_run_id INTEGER NOT NULL REFERENCES experiment_runs(id),
  reused INTEGER NOT NULL,
  PRIMARY KEY(run_id, position)) WITHOUT ROWID;
CREATE INDEX run_experiment_runs_by_row ON run_experiment_runs(experiment_run_id);
)sql",
    // Pages of new files carry checksums (page_checksums.h): earlier programs, which would write
    // pages without, refuse a store of this version.
    "",
    // Which store this is, and which those are whose runs were collected into it (collect/): a run
    // and a row keep the store and the number that they had there; NULL: they were made here.
    R"sql(
CREATE TABLE stores(
  id INTEGER PRIMARY KEY,
  store TEXT NOT NULL UNIQUE,
  own INTEGER NOT NULL,
  name TEXT NOT NULL DEFAULT '',
  flyball TEXT NOT NULL DEFAULT '',
  collected_utc TEXT NOT NULL DEFAULT '');
INSERT INTO stores(store, own) VALUES(lower(hex(randomblob(16))), 1);
ALTER TABLE runs ADD COLUMN store_id INTEGER REFERENCES stores(id);
ALTER TABLE runs ADD COLUMN store_run INTEGER;
CREATE UNIQUE INDEX runs_by_origin ON runs(store_id, store_run) WHERE store_id IS NOT NULL;
ALTER TABLE measurements ADD COLUMN store_id INTEGER REFERENCES stores(id);
ALTER TABLE measurements ADD COLUMN store_row INTEGER;
CREATE UNIQUE INDEX measurements_by_origin ON measurements(store_id, store_row)
  WHERE store_id IS NOT NULL;
ALTER TABLE experiment_runs ADD COLUMN store_id INTEGER REFERENCES stores(id);
ALTER TABLE experiment_runs ADD COLUMN store_row INTEGER;
CREATE UNIQUE INDEX experiment_runs_by_origin ON experiment_runs(store_id, store_row)
  WHERE store_id IS NOT NULL;
ALTER TABLE board_facts ADD COLUMN store_id INTEGER REFERENCES stores(id);
ALTER TABLE board_facts ADD COLUMN store_run INTEGER;
CREATE UNIQUE INDEX board_facts_by_origin ON board_facts(store_id, store_run)
  WHERE store_id IS NOT NULL;
)sql",
    // The file in which a run was recorded (recording/); '' for none.
    R"sql(
ALTER TABLE runs ADD COLUMN record TEXT NOT NULL DEFAULT '';
)sql",
    // Whose store it is, where collect was told (--board); '': it is a board's of its own.
    R"sql(
ALTER TABLE stores ADD COLUMN board TEXT NOT NULL DEFAULT '';
)sql",
};

// True when there was a step to take. Another process may have taken it while we waited.
Result<bool> take_step(Database& database, Migrations migrations) {
  FLYBALL_ASSIGN(Transaction transaction, Transaction::begin(database));
  FLYBALL_ASSIGN(const int64_t version, database.integer("PRAGMA user_version"));
  FLYBALL_CHECK(check_is_store(database, migrations));
  if (version == static_cast<int64_t>(migrations.size())) return false;
  FLYBALL_CHECK(database.run_script(migrations[static_cast<size_t>(version)]));
  FLYBALL_CHECK(database.run("INSERT INTO migrations VALUES(?, ?, ?)",
                             {version + 1, wall_clock_utc(), FLYBALL_VERSION}));
  FLYBALL_CHECK(database.run_script(
      fmt::format("PRAGMA user_version={}; PRAGMA application_id={}", version + 1, application_id)
          .c_str()));
  FLYBALL_CHECK(transaction.commit());
  return true;
}

}  // namespace

Migrations store_migrations() {
  return migrations_list;
}

Status check_is_store(Database& database, Migrations migrations) {
  FLYBALL_ASSIGN(const int64_t version, database.integer("PRAGMA user_version"));
  FLYBALL_ASSIGN(const int64_t application, database.integer("PRAGMA application_id"));
  FLYBALL_ASSIGN(const int64_t tables, database.integer("SELECT COUNT(*) FROM sqlite_schema"));
  const bool empty = version == 0 && application == 0 && tables == 0;
  if (!empty && (application != application_id || version < 1))
    return Error{Code::corrupt,
                 fmt::format("{} is an SQLite database, but not a store of Flyball",
                             database.path().string()),
                 "it was left as it is; choose another store with --store, or move the file away"};
  if (version > static_cast<int64_t>(migrations.size()))
    return Error{Code::conflict,
                 fmt::format("the store {} was written by a newer Flyball (version {} of its "
                             "tables, this one knows {})",
                             database.path().string(), version, migrations.size()),
                 "update Flyball, or choose another store with --store; it was left as it is"};
  return {};
}

Status check_is_newest(Database& database, Migrations migrations) {
  FLYBALL_ASSIGN(const int64_t version, database.integer("PRAGMA user_version"));
  if (version == static_cast<int64_t>(migrations.size())) return {};
  return Error{Code::permission,
               fmt::format("the store {} was written by an older Flyball and is not brought up to "
                           "date where it is not to be written",
                           database.path().string()),
               "copy it to a folder of your own, and name it with --store"};
}

Status migrate(Database& database, Migrations migrations) {
  bool stepped = true;
  while (stepped) {
    FLYBALL_ASSIGN(const int64_t version, database.integer("PRAGMA user_version"));
    if (version == static_cast<int64_t>(migrations.size())) return {};
    FLYBALL_ASSIGN(stepped, take_step(database, migrations));
  }
  return {};
}

Result<std::string> own_identity(Database& database) {
  std::string store;
  FLYBALL_CHECK(database.run("SELECT store FROM stores WHERE own = ?", {true}, [&](const Row& row) {
    store = row.text(0);
    return Status();
  }));
  if (!store.empty()) return store;
  return Error{Code::corrupt,
               fmt::format("the store {} has lost its identity", database.path().string()),
               "restore it from a copy"};
}

}  // namespace flyball
