// Rows a second from stores of boards into PostgreSQL and into a file, beside COPY of the same rows
// into a bare table; and how long the questions about a fleet take over so many measurements in
// PostgreSQL (--rows N, default 1000000) and in a file (--file-rows N, default 100000). With --plan
// the server's plan of the largest question goes to stderr. One line of JSON on stdout. A row takes
// a kilobyte of disk.
// Peer: PostgreSQL's COPY | test -d /usr/lib/postgresql
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/os/temp_folder.h"
#include "base/text.h"
#include "collect/collect.h"
#include "fleet/collected_fleet.h"
#include "fleet/trial_groups.h"
#include "sql/postgres_testing.h"
#include "store/sample_testing.h"
#include "store/store.h"

namespace flyball {
namespace {

constexpr int stores = 40, runs_of_each = 5, rows_of_each = 250;
constexpr int64_t collected_rows = int64_t{stores} * runs_of_each * rows_of_each;

[[noreturn]] void give_up(const std::string& message) {
  fmt::print(stderr, "collect_bench: {}\n", message);
  std::exit(2);
}

template <class T>
T value_of(Result<T> result) {
  if (!result.ok()) give_up(result.error().message);
  return *std::move(result);
}

void done(const Status& status) {
  if (!status.ok()) give_up(status.error().message);
}

std::string store_of(const TempFolder& folder, int store) {
  return (folder / fmt::format("board{}.db", store)).string();
}

void make_stores(const TempFolder& folder) {
  for (int i = 0; i < stores; ++i) {
    Store store = value_of(Store::open(store_of(folder, i)));
    for (int run = 0; run < runs_of_each; ++run) {
      std::vector<Measurement> rows;
      for (int row = 0; row < rows_of_each; ++row) {
        rows.push_back(sample_measurement(run * rows_of_each + row));
        rows.back().minibatch_ms *= 1 + 0.001 * i;
      }
      value_of(store.add_run(sample_request(), rows, "{}"));
    }
  }
}

/// [s] Every `step`-th store, from `first` on.
double take_stores(const TempFolder& folder, const std::string& into, int first, int step) {
  const Stopwatch watch;
  CollectTarget target = value_of(CollectTarget::open(into));
  for (int i = first; i < stores; i += step) value_of(target.take(store_of(folder, i)));
  return watch.seconds();
}

/// [MiB] That this process has had so far.
double peak_memory_mib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

double take_by_two(const TempFolder& folder, const std::string& into) {
  value_of(CollectTarget::open(into));
  const Stopwatch watch;
  std::thread other([&] { take_stores(folder, into, 1, 2); });
  take_stores(folder, into, 0, 2);
  other.join();
  return watch.seconds();
}

/// [s] The same rows into a table without indexes and references.
double copy_rows(PostgresServer& server, const TempFolder& folder) {
  const std::string file = (folder / "rows").string();
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  done(server.run(fmt::format("COPY flyball.measurements TO '{}'", file)));
  done(server.run("CREATE TABLE bare AS SELECT * FROM flyball.measurements LIMIT 0"));
  const Stopwatch watch;
  done(server.run(fmt::format("COPY bare FROM '{}'", file)));
  return watch.seconds();
}

/// More boards like those that were collected, made by the database itself: the boards of all
/// stores again and again, each a little slower. One statement for both kinds of database.
void grow(Database& database, int64_t rows) {
  constexpr const char* of_copy =
      " JOIN stores s ON s.id = r.store_id JOIN stores t ON t.store = s.store || '-{0}'";
  const std::string sql = fmt::format(
      "BEGIN; INSERT INTO stores(store, own, name) SELECT store || '-{{0}}', own, name || '-{{0}}' "
      "FROM stores WHERE NOT own AND id <= {1}; "
      "INSERT INTO runs(command, request, device, fingerprint, seed, started_utc, finished_utc, "
      "state, answer, process, condition_id, store_id, store_run) SELECT r.command, r.request, "
      "r.device, r.fingerprint, r.seed, r.started_utc, r.finished_utc, r.state, r.answer, "
      "r.process, r.condition_id, t.id, r.store_run FROM runs r{0}; "
      "INSERT INTO measurements(board_id, job_id, mode, provenance, minibatch_ms, minibatches, "
      "power_total, power_w, power_trace, power_gap, stop_reason, throttled, repeated, failure, "
      "started_utc, seed, condition_id, clocks, figures, store_id, store_row) SELECT r.board_id, "
      "r.job_id, r.mode, r.provenance, r.minibatch_ms * (1 + 0.00001 * (t.id % 1000)), "
      "r.minibatches, r.power_total, r.power_w, r.power_trace, r.power_gap, r.stop_reason, "
      "r.throttled, r.repeated, r.failure, r.started_utc, r.seed, r.condition_id, r.clocks, "
      "r.figures, t.id, r.store_row FROM measurements r{0} WHERE r.id <= {2}; COMMIT",
      of_copy, stores + 1, collected_rows);
  const int64_t copies = (rows + collected_rows - 1) / collected_rows - 1;
  for (int64_t copy = 1; copy <= copies; ++copy)
    done(database.run_script(fmt::format(fmt::runtime(sql), copy).c_str()));
}

/// Indexes are made behind the rows, and keys are not looked up: all rows are copies.
void grow(PostgresServer& server, int64_t rows) {
  Database database = value_of(Database::connect(server.place(), false));
  const auto run = [&](const char* sql) { done(database.run_script(sql)); };
  run("SET session_replication_role = replica; SET synchronous_commit = off");
  run("DROP INDEX measurements_by_origin, trials_by_known_mode");
  grow(database, rows);
  run("CREATE UNIQUE INDEX measurements_by_origin ON measurements(store_id, store_row) WHERE "
      "store_id IS NOT NULL");
  value_of(CollectTarget::open(server.place()));  // makes what is missing
  run("VACUUM (ANALYZE) measurements");
  run("CHECKPOINT");
}

FleetShowQuestion question() {
  FleetShowQuestion asked;
  asked.budgets_w = {50, 100};
  asked.now_utc = wall_clock_utc();
  return asked;
}

/// [s] The page of the fleet.
double show(Database& database, Json& figures, const std::string& of) {
  figures[of + "rows"] = value_of(database.integer("SELECT COUNT(*) FROM measurements"));
  const Stopwatch shown;
  const CollectedFleet fleet = value_of(collected_fleet(database, question()));
  figures[of + "boards"] = fleet.boards.size();
  return shown.seconds();
}

void print_plan(Database& database) {
  done(database.run("EXPLAIN (ANALYZE, COSTS OFF) " + fleet_trials_sql(), {}, [](const Row& row) {
    fmt::print(stderr, "{}\n", row.text(0));
    return Status();
  }));
}

Json measure(int64_t rows, int64_t file_rows, bool plan) {
  if (const std::string why = PostgresServer::missing(); !why.empty()) give_up(why);
  const TempFolder folder;
  make_stores(folder);
  PostgresServer server;
  Json figures;
  const auto rate = [](double seconds) { return static_cast<double>(collected_rows) / seconds; };
  figures["collected_rows"] = collected_rows;
  figures["file_rows_per_s"] = rate(take_stores(folder, (folder / "fleet.db").string(), 0, 1));
  figures["postgres_rows_per_s"] = rate(take_stores(folder, server.place(), 0, 1));
  figures["again_stores_per_s"] = stores / take_stores(folder, server.place(), 0, 1);
  done(server.run("DROP SCHEMA flyball CASCADE"));
  figures["postgres_two_rows_per_s"] = rate(take_by_two(folder, server.place()));
  figures["peer_copy_rows_per_s"] = rate(copy_rows(server, folder));
  {
    Database file = value_of(Database::open(folder / "fleet.db", {}));
    grow(file, file_rows);
    figures["file_fleet_show_s"] = show(file, figures, "file_");
  }
  grow(server, rows);
  Database database = value_of(Database::connect(server.place(), true));
  figures["fleet_show_s"] = show(database, figures, "");
  if (plan) print_plan(database);
  figures["fleet_show_peak_mib"] = peak_memory_mib();
  done(server.run("DROP INDEX flyball.trials_by_known_mode"));
  figures["fleet_show_without_index_s"] = show(database, figures, "");
  const auto rows_there = figures["rows"].get<double>();
  figures["bytes_per_row"] =
      static_cast<double>(
          value_of(database.integer("SELECT pg_total_relation_size('measurements')"))) /
      rows_there;
  Store store = value_of(Store::open_to_read(server.place()));
  const Stopwatch watch;
  value_of(store.run_measurements(1));
  figures["one_run_s"] = watch.seconds();
  return figures;
}

}  // namespace
}  // namespace flyball

int main(int argc, char** argv) {
  using flyball::parse_integer;
  int64_t rows = 1000000, file_rows = 100000;
  bool plan = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--plan") {
      plan = true;
      continue;
    }
    const auto number = i + 1 < argc ? parse_integer(argv[++i]) : std::nullopt;
    if (!number || *number < 1 || (word != "--rows" && word != "--file-rows"))
      flyball::give_up("usage: [--rows N] [--file-rows N] [--plan]");
    (word == "--rows" ? rows : file_rows) = *number;
  }
  const auto figures = flyball::measure(rows, file_rows, plan);
  fmt::print("{}\n", flyball::Json{{"benchmark", "collect"}, {"figures", figures}}.dump());
}
