#include "collect/store_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/clock.h"
#include "base/os/interrupt.h"
#include "base/text.h"
#include "sql/postgres_text.h"
#include "sql/process.h"

namespace flyball {
namespace {

constexpr size_t batch_rows = 500;

constexpr const char* stand_sql =
    "SELECT id, store_id, store_run, command, started_utc, finished_utc, state, process, "
    "(SELECT COUNT(*) FROM run_measurements WHERE run_id = runs.id), "
    "(SELECT COUNT(*) FROM run_experiment_runs WHERE run_id = runs.id) FROM runs ";

RunStand read_stand(const Row& row) {
  RunStand run;
  run.id = row.integer(0);
  run.command = row.text(3);
  run.started_utc = row.text(4);
  run.finished_utc = row.text(5);
  run.state = row.text(6);
  run.process = row.text(7);
  run.measurements = row.integer(8);
  run.experiment_runs = row.integer(9);
  return run;
}

// A command that is no UTF-8 stands in PostgreSQL as it takes it.
bool same_run(const RunStand& a, const RunStand& b) {
  return a.started_utc == b.started_utc && well_formed(a.command) == well_formed(b.command);
}

// Further than there, that is: by two ways an older state may come after a newer one.
bool has_gone_on(const RunStand& now, const RunStand& there) {
  if (now.measurements != there.measurements || now.experiment_runs != there.experiment_runs)
    return now.measurements >= there.measurements && now.experiment_runs >= there.experiment_runs;
  if ((now.state == "done") != (there.state == "done")) return now.state == "done";
  return now.finished_utc > there.finished_utc;
}

}  // namespace

Status StoreCopy::copy() {
  FLYBALL_CHECK(known_.prepare(name_, board_));
  collected_.store = known_.identity();
  FLYBALL_ASSIGN(const std::vector<RunStand> runs, stands());
  // All that is there of these stores is asked for at once: mostly that is all of it.
  std::set<int64_t> stores;
  for (const RunStand& run : runs) stores.insert(run.origin.store);
  std::map<RowOrigin, RunStand> there;
  for (const int64_t store : stores)
    FLYBALL_CHECK(
        to_.run(std::string(stand_sql) + "WHERE store_id = ?", {store}, [&](const Row& row) {
          there[{store, row.integer(2)}] = read_stand(row);
          return Status();
        }));
  for (const RunStand& run : runs) {
    if (known_.made_here(run.origin)) continue;
    if (is_interrupted(&interrupt_flag()))
      return Error{Code::interrupted, "interrupted", "run the same command again"};
    if (run.state == "running") {
      ++collected_.running_runs;
      continue;
    }
    const auto found = there.find(run.origin);
    if (found != there.end() && same_run(run, found->second) && !has_gone_on(run, found->second)) {
      ++collected_.known_runs;
      continue;
    }
    FLYBALL_CHECK(copy_run(run));
  }
  FLYBALL_CHECK(copy_facts());
  FLYBALL_CHECK(copy_rows_without_run());
  return to_.run("UPDATE stores SET collected_utc = ? WHERE id = ?",
                 {wall_clock_utc(), known_.own_store()});
}

Result<std::vector<RunStand>> StoreCopy::stands() {
  std::vector<RunStand> runs;
  FLYBALL_CHECK(from_.run(std::string(stand_sql) + "ORDER BY id", {}, [&](const Row& row) {
    RunStand run = read_stand(row);
    run.origin = known_.origin(row, 1, 2, run.id);
    if (run.state == "running" && run.process != ran_when_copied && !is_running(run.process))
      run.state = "interrupted";
    runs.push_back(std::move(run));
    return Status();
  }));
  return runs;
}

Result<std::optional<RunStand>> StoreCopy::stand_there(const RowOrigin& origin) {
  std::optional<RunStand> found;
  FLYBALL_CHECK(to_.run(std::string(stand_sql) + "WHERE store_id = ? AND store_run = ?",
                        {origin.store, origin.row}, [&](const Row& row) {
                          found = read_stand(row);
                          return Status();
                        }));
  return found;
}

Status StoreCopy::copy_run(const RunStand& run) {
  FLYBALL_ASSIGN(Transaction transaction, Transaction::begin(to_));
  // Whoever else collects this store waits here.
  FLYBALL_CHECK(to_.run("UPDATE stores SET collected_utc = ? WHERE id = ?",
                        {wall_clock_utc(), run.origin.store}));
  FLYBALL_ASSIGN(const std::optional<RunStand> there, stand_there(run.origin));
  if (there && !same_run(run, *there))
    return Error{Code::invalid_argument,
                 fmt::format("run {} of {} is not the run {} that was collected from a store of "
                             "this identity ({}): one is a copy of the other, and both went on",
                             run.id, name_, there->id, known_.identity()),
                 "collect one of the two: a store may be moved to another machine, and copied to "
                 "look at it"};
  if (there && !has_gone_on(run, *there)) {
    ++collected_.known_runs;
    return {};
  }
  const Collected before = collected_;
  int64_t id = there ? there->id : 0;
  if (!there) {
    FLYBALL_ASSIGN(const std::vector<int64_t> ids, to_.reserve_ids("runs", 1));
    id = ids.front();
  }
  Status copied = write_run(run, there, id);
  if (copied) copied = copy_links(run, id, measurement_rows());
  if (copied) copied = copy_links(run, id, experiment_rows());
  if (copied) copied = check_counts(run, id);
  if (copied) copied = transaction.commit();
  if (!copied) {
    collected_ = before;
    return copied;
  }
  ++(there ? collected_.changed_runs : collected_.new_runs);
  return {};
}

Status StoreCopy::write_run(const RunStand& run, const std::optional<RunStand>& there, int64_t id) {
  Status written;
  FLYBALL_CHECK(from_.run(
      "SELECT request, device, fingerprint, seed, answer, condition_id, record FROM runs WHERE "
      "id = ?",
      {run.id}, [&](const Row& row) {
        written =
            there ? to_.run(
                        "UPDATE runs SET state = ?, finished_utc = ?, answer = ?, process = ?, "
                        "record = ? WHERE id = ?",
                        {run.state, run.finished_utc, row.blob(4), run.process, row.text(6), id})
                  : to_.run(
                        "INSERT INTO runs(id, command, request, device, fingerprint, seed, "
                        "started_utc, finished_utc, state, answer, process, condition_id, "
                        "store_id, store_run, record) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                        "?, ?, "
                        "?)",
                        {id, run.command, row.blob(0), row.blob(1), row.blob(2), row.integer(3),
                         run.started_utc, run.finished_utc, run.state, row.blob(4), run.process,
                         known_.reference("condition_id", row.value(5)), run.origin.store,
                         run.origin.row, row.text(6)});
        return Status();
      }));
  return written;
}

Status StoreCopy::copy_links(const RunStand& run, int64_t id, const LinkedRows& rows) {
  const std::string select = fmt::format(
      "SELECT l.position, l.{1}, l.reused, r.store_id, r.store_row FROM {0} l JOIN {2} r ON "
      "r.id = l.{1} WHERE l.run_id = ? AND l.position >= ? ORDER BY l.position LIMIT {3}",
      rows.links, rows.link_column, rows.table, batch_rows);
  for (int64_t next = 0;;) {
    std::vector<LinkedRow> batch;
    FLYBALL_CHECK(from_.run(select, {run.id, next}, [&](const Row& row) {
      const int64_t number = row.integer(1);
      batch.push_back(
          {row.integer(0), number, row.integer(2) != 0, known_.origin(row, 3, 4, number)});
      return Status();
    }));
    if (batch.empty()) return {};
    if (batch.back().position == std::numeric_limits<int64_t>::max())
      return Error{
          Code::corrupt,
          fmt::format("run {} of {} has a place that no run has", run.id, from_.path().string()),
          "`flyball runs check` says what is damaged"};
    next = batch.back().position + 1;
    FLYBALL_CHECK(copy_batch(batch, id, rows));
  }
}

Status StoreCopy::copy_batch(std::span<const LinkedRow> batch, int64_t id, const LinkedRows& rows) {
  FLYBALL_ASSIGN(auto there, known_.there(rows.table, batch));
  std::vector<const LinkedRow*> missing;
  for (const LinkedRow& row : batch)
    if (!there.contains(row.origin)) missing.push_back(&row);
  if (!missing.empty()) {
    FLYBALL_ASSIGN(const std::vector<int64_t> ids, to_.reserve_ids(rows.table, missing.size()));
    std::vector<std::string> columns = {"id", "store_id", "store_row"};
    columns.insert(columns.end(), rows.references.begin(), rows.references.end());
    columns.insert(columns.end(), rows.columns.begin(), rows.columns.end());
    const std::string select =
        fmt::format("SELECT {}, {} FROM {} WHERE id = ?", join(rows.references, ", "),
                    join(rows.columns, ", "), rows.table);
    const Status added =
        to_.append(rows.table, columns, [&](const Database::AddRow& add) -> Status {
          for (size_t i = 0; i < missing.size(); ++i) {
            const RowOrigin& origin = missing[i]->origin;
            FLYBALL_CHECK(from_.run(select, {missing[i]->id}, [&](const Row& row) {
              std::vector<Value> values = {ids[i], origin.store, origin.row};
              int column = 0;
              for (const std::string& reference : rows.references)
                values.push_back(known_.reference(reference, row.value(column++)));
              for (size_t own = 0; own < rows.columns.size(); ++own)
                values.push_back(row.value(column++));
              return add(values);
            }));
            there[origin] = ids[i];
          }
          return {};
        });
    FLYBALL_CHECK(added);
    (std::string(rows.table) == "measurements" ? collected_.measurements
                                               : collected_.experiment_runs) += missing.size();
  }
  if (id == 0) return {};
  std::set<int64_t> linked;
  FLYBALL_CHECK(to_.run(fmt::format("SELECT position FROM {} WHERE run_id = ? AND position BETWEEN "
                                    "? AND ?",
                                    rows.links),
                        {id, batch.front().position, batch.back().position}, [&](const Row& row) {
                          linked.insert(row.integer(0));
                          return Status();
                        }));
  return to_.append(rows.links, {"run_id", "position", rows.link_column, "reused"},
                    [&](const Database::AddRow& add) -> Status {
                      for (const LinkedRow& row : batch)
                        if (!linked.contains(row.position))
                          FLYBALL_CHECK(add(std::array<Value, 4>{
                              id, row.position, there.at(row.origin), row.reused}));
                      return {};
                    });
}

// What stands in the target is compared with what was read before it is kept.
Status StoreCopy::check_counts(const RunStand& run, int64_t id) {
  FLYBALL_ASSIGN(const std::optional<RunStand> now, stand_there(run.origin));
  if (now && now->id == id && now->measurements == run.measurements &&
      now->experiment_runs == run.experiment_runs)
    return {};
  return Error{Code::internal,
               fmt::format("run {} of {} has {} rows there and {} in the target", run.id, name_,
                           run.measurements + run.experiment_runs,
                           now ? now->measurements + now->experiment_runs : 0),
               "nothing of it was kept; `flyball runs check` says whether the source is whole"};
}

Status StoreCopy::copy_facts() {
  std::vector<std::pair<int64_t, RowOrigin>> facts;
  FLYBALL_CHECK(from_.run("SELECT id, store_id, store_run FROM board_facts ORDER BY id", {},
                          [&](const Row& row) {
                            const int64_t id = row.integer(0);
                            const RowOrigin origin = known_.origin(row, 1, 2, id);
                            if (!known_.made_here(origin)) facts.emplace_back(id, origin);
                            return Status();
                          }));
  std::set<int64_t> stores;
  for (const auto& fact : facts) stores.insert(fact.second.store);
  std::set<RowOrigin> there;
  for (const int64_t store : stores)
    FLYBALL_CHECK(to_.run("SELECT store_run FROM board_facts WHERE store_id = ?", {store},
                          [&](const Row& row) {
                            there.insert({store, row.integer(0)});
                            return Status();
                          }));
  std::erase_if(facts, [&](const auto& fact) { return there.contains(fact.second); });
  if (facts.empty()) return {};
  FLYBALL_ASSIGN(Transaction transaction, Transaction::begin(to_));
  FLYBALL_ASSIGN(const std::vector<int64_t> ids, to_.reserve_ids("runs", facts.size()));
  int64_t written = 0;
  for (size_t i = 0; i < facts.size(); ++i) {
    Status added;
    FLYBALL_CHECK(from_.run(
        "SELECT kind, device, fingerprint, json, measured_utc, command FROM board_facts WHERE "
        "id = ?",
        {facts[i].first}, [&](const Row& row) {
          added = to_.run(
              "INSERT INTO board_facts(id, kind, device, fingerprint, json, measured_utc, command, "
              "store_id, store_run) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
              {ids[i], row.blob(0), row.blob(1), row.blob(2), row.blob(3), row.blob(4), row.blob(5),
               facts[i].second.store, facts[i].second.row});
          return Status();
        }));
    FLYBALL_CHECK(added);
    written += to_.changes();
  }
  FLYBALL_CHECK(transaction.commit());
  collected_.facts += static_cast<size_t>(written);
  return {};
}

// Measurements that were imported, or whose runs are deleted while others use them no more.
Status StoreCopy::copy_rows_without_run() {
  for (int64_t next = 0;;) {
    std::vector<LinkedRow> batch;
    FLYBALL_CHECK(from_.run(
        fmt::format("SELECT id, store_id, store_row FROM measurements WHERE id > ? AND NOT EXISTS "
                    "(SELECT 1 FROM run_measurements WHERE measurement_id = measurements.id) "
                    "ORDER BY id LIMIT {}",
                    batch_rows),
        {next}, [&](const Row& row) {
          const int64_t id = row.integer(0);
          batch.push_back({0, id, false, known_.origin(row, 1, 2, id)});
          return Status();
        }));
    if (batch.empty()) return {};
    next = batch.back().id;
    FLYBALL_ASSIGN(Transaction transaction, Transaction::begin(to_));
    FLYBALL_CHECK(to_.run("UPDATE stores SET collected_utc = ? WHERE id = ?",
                          {wall_clock_utc(), known_.own_store()}));
    const Collected before = collected_;
    Status copied = copy_batch(batch, 0, measurement_rows());
    if (copied) copied = transaction.commit();
    if (!copied) {
      collected_ = before;
      return copied;
    }
  }
}

}  // namespace flyball
