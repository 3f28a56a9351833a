// Rows a second from stores of boards into PostgreSQL and into a file, beside COPY of the same rows
// into a bare table; and how long the questions about a fleet take over so many measurements
// (--rows N, default 1000000). One line of JSON on stdout.
// Peer: PostgreSQL's COPY | test -d /usr/lib/postgresql
#include <fmt/format.h>

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

/// More boards like those that were collected, made by the server itself.
void grow(PostgresServer& server, int64_t rows) {
  const int64_t more = (rows + collected_rows - 1) / collected_rows - 1;
  for (int64_t i = 1; i <= more; ++i)
    done(server.run(fmt::format(
        "SET search_path = flyball; BEGIN; INSERT INTO stores(store, own, name) SELECT "
        "md5(store || '{0}'), false, name || '-{0}' FROM stores WHERE NOT own AND id <= {1}; "
        "INSERT INTO runs(command, request, device, fingerprint, seed, started_utc, finished_utc, "
        "state, answer, process, condition_id, store_id, store_run) SELECT r.command, r.request, "
        "r.device, r.fingerprint, r.seed, r.started_utc, r.finished_utc, r.state, r.answer, "
        "r.process, r.condition_id, n.id, r.store_run FROM runs r JOIN stores s ON s.id = "
        "r.store_id JOIN stores n ON n.store = md5(s.store || '{0}'); "
        "INSERT INTO measurements(board_id, job_id, mode, provenance, minibatch_ms, minibatches, "
        "power_total, power_w, power_trace, power_gap, stop_reason, throttled, repeated, failure, "
        "started_utc, seed, condition_id, store_id, store_row) SELECT m.board_id, m.job_id, "
        "m.mode, "
        "m.provenance, m.minibatch_ms * (1 + 0.01 * random()), m.minibatches, m.power_total, "
        "m.power_w, m.power_trace, m.power_gap, m.stop_reason, m.throttled, m.repeated, m.failure, "
        "m.started_utc, m.seed, m.condition_id, n.id, m.store_row FROM measurements m JOIN stores "
        "s "
        "ON s.id = m.store_id JOIN stores n ON n.store = md5(s.store || '{0}') WHERE s.id <= {1}; "
        "COMMIT",
        i, stores + 1)));
  done(server.run("VACUUM (ANALYZE) flyball.measurements"));
}

Json measure(int64_t rows) {
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
  grow(server, rows);
  Database database = value_of(Database::connect(server.place(), true));
  figures["rows"] = value_of(database.integer("SELECT COUNT(*) FROM measurements"));
  figures["bytes_per_row"] =
      static_cast<double>(
          value_of(database.integer("SELECT pg_total_relation_size('measurements')"))) /
      figures["rows"].get<double>();
  FleetShowQuestion question;
  question.budgets_w = {50, 100};
  question.now_utc = wall_clock_utc();
  const Stopwatch shown;
  const CollectedFleet fleet = value_of(collected_fleet(database, question));
  figures["fleet_show_s"] = shown.seconds();
  figures["boards"] = fleet.boards.size();
  Store store = value_of(Store::open_to_read(server.place()));
  const Stopwatch watch;
  value_of(store.run_measurements(1));
  figures["one_run_s"] = watch.seconds();
  return figures;
}

}  // namespace
}  // namespace flyball

int main(int argc, char** argv) {
  int64_t rows = 1000000;
  if (argc == 3 && std::string(argv[1]) == "--rows")
    rows = flyball::parse_integer(argv[2]).value_or(rows);
  const auto figures = flyball::measure(rows);
  fmt::print("{}\n", flyball::Json{{"benchmark", "collect"}, {"figures", figures}}.dump());
}
