// Measurements a second into the store, beside what one would write without it: SQLite with a
// transaction a row, and a CSV file that is synchronised after each row, both without the times of
// minibatches. A folder on the disk to be measured may be given. One line of JSON on stdout.
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <vector>

#include "base/clock.h"
#include "base/csv.h"
#include "base/json.h"
#include "base/os/temp_folder.h"
#include "base/text.h"
#include "store/sample_testing.h"
#include "store/store.h"

namespace flyball {
namespace {

constexpr int batch_size = 20000, single_count = 1000;

std::vector<Measurement> samples(int count) {
  std::vector<Measurement> all;
  for (int i = 0; i < count; ++i) all.push_back(sample_measurement(i));
  return all;
}

[[noreturn]] void give_up(const std::string& message) {
  fmt::print(stderr, "store_bench: {}\n", message);
  std::exit(2);
}

template <class T>
T value_of(Result<T> result) {
  if (!result.ok()) give_up(result.error().message);
  return *std::move(result);
}

double per_second(int count, const Stopwatch& watch) {
  return count / watch.seconds();
}

double naive_sqlite(const std::filesystem::path& file, const std::vector<Measurement>& all) {
  sqlite3* connection = nullptr;
  const auto run = [&](const char* sql) {
    if (sqlite3_exec(connection, sql, nullptr, nullptr, nullptr) != SQLITE_OK)
      give_up(sqlite3_errmsg(connection));
  };
  sqlite3_open(file.c_str(), &connection);
  run("CREATE TABLE m(device, workload, cores, mhz, ms, w)");
  const Stopwatch watch;
  for (const Measurement& m : all)
    run(fmt::format("INSERT INTO m VALUES('{}', '{}', {}, {}, {}, {})", m.device,
                    m.trial.job.workload, m.trial.mode.values.at("cpu_cores"),
                    m.trial.mode.values.at("cpu_mhz"), m.minibatch_ms, m.power->mean_w)
            .c_str());
  const double rate = per_second(static_cast<int>(all.size()), watch);
  sqlite3_close(connection);
  return rate;
}

double csv_with_fsync(const std::filesystem::path& file, const std::vector<Measurement>& all) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  const Stopwatch watch;
  for (const Measurement& m : all) {
    const std::string line =
        csv_line({m.device, m.trial.job.workload, format_number(m.trial.mode.values.at("cpu_mhz")),
                  format_number(m.minibatch_ms), format_number(m.power->mean_w)});
    if (::write(fd, line.data(), line.size()) < 0 || ::fdatasync(fd) != 0)
      give_up("cannot write the CSV file");
  }
  const double rate = per_second(static_cast<int>(all.size()), watch);
  ::close(fd);
  return rate;
}

Json measure(const std::filesystem::path& folder) {
  Json figures;
  const std::vector<Measurement> batch = samples(batch_size), singles = samples(single_count);
  const auto file = folder / "batch.db";
  {
    Store store = value_of(Store::open(file));
    const Stopwatch watch;
    value_of(store.add_measurements(batch));
    figures["measurements_per_s"] = per_second(batch_size, watch);
    const Stopwatch reading;
    value_of(store.measurements({}));
    figures["read_per_s"] = per_second(batch_size, reading);
  }
  figures["bytes_per_measurement"] =
      static_cast<double>(std::filesystem::file_size(file)) / batch_size;
  {
    Store store = value_of(Store::open(folder / "single.db"));
    const Stopwatch watch;
    for (const Measurement& m : singles) value_of(store.add_measurement(m));
    figures["trials_per_s"] = per_second(single_count, watch);
  }
  figures["peer_sqlite_row_transactions_per_s"] = naive_sqlite(folder / "naive.db", singles);
  figures["peer_csv_fsync_per_s"] = csv_with_fsync(folder / "naive.csv", singles);
  return figures;
}

}  // namespace
}  // namespace flyball

int main(int argc, char** argv) {
  // /tmp is memory on some machines, and memory needs no synchronising.
  const flyball::TempFolder folder(argc > 1 ? argv[1] : std::filesystem::temp_directory_path());
  if (folder.path().empty()) flyball::give_up("cannot make a temporary folder");
  const auto figures = flyball::measure(folder.path());
  fmt::print(stderr,
             "store: {:.0f} measurements/s in a batch, {:.0f} trials/s each on its own; peers: "
             "{:.0f} row transactions/s, {:.0f} CSV rows/s\n",
             figures["measurements_per_s"].get<double>(), figures["trials_per_s"].get<double>(),
             figures["peer_sqlite_row_transactions_per_s"].get<double>(),
             figures["peer_csv_fsync_per_s"].get<double>());
  fmt::print("{}\n", flyball::Json{{"benchmark", "store"}, {"figures", figures}}.dump());
}
