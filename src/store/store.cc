#include "store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <set>

#include "base/clock.h"
#include "base/os/places.h"
#include "sql/database.h"
#include "sql/process.h"
#include "store/experiment_run_rows.h"
#include "store/rows.h"
#include "store/schema.h"
#include "store/store_database.h"

namespace flyball {

struct Store::Impl {
  Database database;
  bool wants_check = false;
  std::mutex mutex = {};  // one connection, one user at a time
};

std::filesystem::path Store::file_of(const std::filesystem::path& place) {
  if (names_postgres(place.string())) return place;
  std::error_code ignored;
  const bool folder = !place.has_filename() || std::filesystem::is_directory(place, ignored);
  return folder ? place / "store.db" : place;
}

namespace {

Error still_running(const StoredRun& run) {
  return {
      Code::conflict, fmt::format("run {} ({}) is still running", run.id, run.request.command),
      "wait until it has finished, or stop it; where it was killed in another container, delete "
      "it outside of containers"};
}

bool asks_the_same(const RunRequest& a, const RunRequest& b) {
  return a.request == b.request && a.device == b.device && a.fingerprint == b.fingerprint &&
         a.conditions == b.conditions && a.seed == b.seed;
}

RunRequest with_record(RunRequest request) {
  const char* recorded_in = std::getenv("FLYBALL_RECORD");
  if (request.record.empty() && recorded_in) request.record = recorded_in;
  return request;
}

Status add_all(Database& database, std::span<const Measurement> measurements,
               std::optional<int64_t> run, std::vector<int64_t>& ids) {
  for (const Measurement& measurement : measurements) {
    FLYBALL_ASSIGN(const int64_t id, insert_measurement(database, measurement));
    if (run) FLYBALL_CHECK(link_measurement(database, *run, id, false));
    ids.push_back(id);
  }
  return {};
}

/// Of one table of links between runs and what they measured.
Status count_kept(Database& database, int64_t run, const char* links, const char* what,
                  KeptOfRun& kept) {
  std::set<int64_t> trials, runs(kept.runs.begin(), kept.runs.end());
  FLYBALL_CHECK(database.run(
      fmt::format("SELECT own.{1}, other.run_id FROM {0} own JOIN {0} other ON own.{1} = other.{1} "
                  "WHERE own.run_id = ?1 AND other.run_id <> ?1",
                  links, what),
      {run}, [&](const Row& row) {
        trials.insert(row.integer(0));
        runs.insert(row.integer(1));
        return Status();
      }));
  kept.trials += trials.size();
  kept.runs.assign(runs.begin(), runs.end());
  return {};
}

}  // namespace

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Result<Store> Store::open(const std::filesystem::path& place, const StoreOptions& options) {
  const std::filesystem::path file = file_of(place);
  const bool unclean = has_log(file) && !is_open(file);
  FLYBALL_ASSIGN(Database database, open_store_database(place, options));
  const bool small = is_quickly_checked(file, options.checked_bytes);
  return Store(std::unique_ptr<Impl>(new Impl{std::move(database), unclean && !small}));
}

Result<Store> Store::open_to_read(const std::filesystem::path& place, const StoreOptions& options) {
  const std::filesystem::path file = file_of(place);
  const bool unclean = has_log(file) && !is_open(file);
  FLYBALL_ASSIGN(Database database, open_store_database_to_read(place, options));
  const bool small = is_quickly_checked(file, options.checked_bytes);
  return Store(std::unique_ptr<Impl>(new Impl{std::move(database), unclean && !small}));
}

std::filesystem::path Store::default_place() {
  const char* named = std::getenv("FLYBALL_STORE");
  return named && *named ? std::filesystem::path(named) : data_folder() / "store.db";
}

std::filesystem::path Store::path() const {
  return impl_->database.path();
}

Result<std::string> Store::identity() {
  const std::lock_guard lock(impl_->mutex);
  return own_identity(impl_->database);
}

Result<int64_t> Store::begin_run(const RunRequest& request) {
  const std::lock_guard lock(impl_->mutex);
  return insert_run(impl_->database, with_record(request), RunState::running, "");
}

Result<int64_t> Store::begin_or_resume(const RunRequest& asked) {
  const RunRequest request = with_record(asked);
  const std::lock_guard lock(impl_->mutex);
  FLYBALL_ASSIGN(Transaction transaction, Transaction::begin(impl_->database));
  FLYBALL_ASSIGN(const std::vector<StoredRun> all, select_runs(impl_->database));
  const auto earlier = std::ranges::find_if(all, [&](const StoredRun& run) {
    return run.state == RunState::interrupted && !run.origin && asks_the_same(run.request, request);
  });
  int64_t id = 0;
  if (earlier == all.end()) {
    FLYBALL_ASSIGN(id, insert_run(impl_->database, request, RunState::running, ""));
  } else {
    id = earlier->id;
    FLYBALL_CHECK(impl_->database.run(
        "UPDATE runs SET state = 'running', finished_utc = '', process = ?, record = ? WHERE id = "
        "?",
        {process_identity(), request.record.empty() ? earlier->request.record : request.record,
         id}));
  }
  FLYBALL_CHECK(transaction.commit());
  return id;
}

Status Store::finish_run(int64_t id, RunState state, const std::string& answer) {
  const std::lock_guard lock(impl_->mutex);
  FLYBALL_CHECK(
      impl_->database.run("UPDATE runs SET state = ?, answer = ?, finished_utc = ? WHERE id = ?",
                          {run_state_name(state), answer, wall_clock_utc(), id}));
  if (impl_->database.changes() == 1) return {};
  FLYBALL_CHECK(select_run(impl_->database, id));
  return {};
}

Result<int64_t> Store::add_run(const RunRequest& request, std::span<const Measurement> measurements,
                               const std::string& answer) {
  const std::lock_guard lock(impl_->mutex);
  FLYBALL_ASSIGN(Transaction transaction, Transaction::begin(impl_->database));
  FLYBALL_ASSIGN(const int64_t run, insert_run(impl_->database, request, RunState::done, answer));
  std::vector<int64_t> ids;
  FLYBALL_CHECK(add_all(impl_->database, measurements, run, ids));
  FLYBALL_CHECK(transaction.commit());
  return run;
}

Result<int64_t> Store::add_experiment(const RunRequest& request,
                                      std::span<const ExperimentRun> rows) {
  const std::lock_guard lock(impl_->mutex);
  FLYBALL_ASSIGN(Transaction transaction, Transaction::begin(impl_->database));
  FLYBALL_ASSIGN(const int64_t run, insert_run(impl_->database, request, RunState::done, ""));
  for (const ExperimentRun& row : rows)
    FLYBALL_CHECK(insert_experiment_run(impl_->database, row, run));
  FLYBALL_CHECK(transaction.commit());
  return run;
}

Result<int64_t> Store::add_experiment_run(const ExperimentRun& row, int64_t run) {
  const std::lock_guard lock(impl_->mutex);
  FLYBALL_ASSIGN(Transaction transaction, Transaction::begin(impl_->database));
  FLYBALL_ASSIGN(const int64_t id, insert_experiment_run(impl_->database, row, run));
  FLYBALL_CHECK(transaction.commit());
  return id;
}

Status Store::reuse_experiment_run(int64_t run, int64_t row) {
  const std::lock_guard lock(impl_->mutex);
  return link_experiment_run(impl_->database, run, row, true);
}

Result<std::vector<ExperimentRun>> Store::experiment_runs(const ExperimentRunFilter& filter) {
  const std::lock_guard lock(impl_->mutex);
  return select_experiment_runs(impl_->database, filter);
}

Result<std::vector<StoredRun>> Store::runs() {
  const std::lock_guard lock(impl_->mutex);
  return select_runs(impl_->database);
}

Result<std::vector<StoredRun>> Store::runs_in_record(const std::string& record) {
  const std::lock_guard lock(impl_->mutex);
  return select_runs_in_record(impl_->database, record);
}

Result<std::map<int64_t, std::string>> Store::requests(const std::string& device,
                                                       const std::string& fingerprint) {
  const std::lock_guard lock(impl_->mutex);
  return select_requests(impl_->database, device, fingerprint);
}

Result<StoredRun> Store::run(int64_t id) {
  const std::lock_guard lock(impl_->mutex);
  return select_run(impl_->database, id);
}

Result<std::vector<StoredMeasurement>> Store::run_measurements(int64_t id) {
  const std::lock_guard lock(impl_->mutex);
  FLYBALL_CHECK(select_run(impl_->database, id));
  MeasurementFilter filter;
  filter.run = id;
  filter.failed = true;
  return select_measurements(impl_->database, filter);
}

Result<KeptOfRun> Store::delete_run(int64_t id) {
  const std::lock_guard lock(impl_->mutex);
  Database& database = impl_->database;
  FLYBALL_ASSIGN(Transaction transaction, Transaction::begin(database));
  FLYBALL_CHECK(database.run("DELETE FROM board_facts WHERE id = ?", {id}));
  KeptOfRun kept;
  if (database.changes() == 1) {
    FLYBALL_CHECK(transaction.commit());
    return kept;
  }
  FLYBALL_ASSIGN(const StoredRun run, select_run(database, id));
  if (run.state == RunState::running) return still_running(run);
  FLYBALL_CHECK(count_kept(database, id, "run_measurements", "measurement_id", kept));
  FLYBALL_CHECK(count_kept(database, id, "run_experiment_runs", "experiment_run_id", kept));
  // Those that this run alone refers to; the links must go before what they point at.
  std::vector<int64_t> orphans;
  FLYBALL_CHECK(database.run(
      "SELECT measurement_id FROM run_measurements r WHERE run_id = ?1 AND NOT EXISTS "
      "(SELECT 1 FROM run_measurements other WHERE other.measurement_id = r.measurement_id "
      "AND other.run_id <> ?1)",
      {id}, [&](const Row& row) {
        orphans.push_back(row.integer(0));
        return Status();
      }));
  FLYBALL_CHECK(database.run("DELETE FROM runs WHERE id = ?", {id}));
  for (const int64_t orphan : orphans)
    FLYBALL_CHECK(database.run("DELETE FROM measurements WHERE id = ?", {orphan}));
  FLYBALL_CHECK(delete_orphaned_experiment_runs(database));
  FLYBALL_CHECK(transaction.commit());
  return kept;
}

Result<int64_t> Store::keep_fact(const BoardFact& fact) {
  const std::lock_guard lock(impl_->mutex);
  FLYBALL_ASSIGN(Transaction transaction, Transaction::begin(impl_->database));
  FLYBALL_ASSIGN(const int64_t id, insert_board_fact(impl_->database, fact));
  FLYBALL_CHECK(transaction.commit());
  return id;
}

Result<std::vector<BoardFact>> Store::facts(const BoardFactFilter& filter) {
  const std::lock_guard lock(impl_->mutex);
  return select_board_facts(impl_->database, filter);
}

Result<int64_t> Store::add_measurement(const Measurement& measurement, std::optional<int64_t> run) {
  FLYBALL_ASSIGN(const std::vector<int64_t> ids, add_measurements({&measurement, 1}, run));
  return ids.front();
}

Result<std::vector<int64_t>> Store::add_measurements(std::span<const Measurement> measurements,
                                                     std::optional<int64_t> run) {
  const std::lock_guard lock(impl_->mutex);
  FLYBALL_ASSIGN(Transaction transaction, Transaction::begin(impl_->database));
  std::vector<int64_t> ids;
  FLYBALL_CHECK(add_all(impl_->database, measurements, run, ids));
  FLYBALL_CHECK(transaction.commit());
  return ids;
}

Status Store::reuse(int64_t run, std::span<const int64_t> measurements) {
  if (measurements.empty()) return {};
  const std::lock_guard lock(impl_->mutex);
  FLYBALL_ASSIGN(Transaction transaction, Transaction::begin(impl_->database));
  for (const int64_t id : measurements)
    FLYBALL_CHECK(link_measurement(impl_->database, run, id, true));
  return transaction.commit();
}

Result<std::vector<StoredMeasurement>> Store::measurements(const MeasurementFilter& filter) {
  const std::lock_guard lock(impl_->mutex);
  return select_measurements(impl_->database, filter);
}

Result<std::vector<int64_t>> Store::makers(std::span<const StoredMeasurement> measurements) {
  const std::lock_guard lock(impl_->mutex);
  std::set<int64_t> runs;
  for (const StoredMeasurement& stored : measurements) {
    FLYBALL_ASSIGN(const int64_t run,
                   impl_->database.integer("SELECT MIN(run_id) FROM run_measurements WHERE "
                                           "measurement_id = ? AND NOT reused",
                                           {stored.id}));
    if (run > 0) runs.insert(run);
  }
  return std::vector<int64_t>(runs.begin(), runs.end());
}

Result<std::vector<SameConditions>> Store::conditions(const MeasurementFilter& filter) {
  const std::lock_guard lock(impl_->mutex);
  return select_conditions(impl_->database, filter);
}

Status Store::check() {
  {
    const std::lock_guard lock(impl_->mutex);
    FLYBALL_CHECK(impl_->database.check(true));
  }
  FLYBALL_CHECK(runs());
  FLYBALL_CHECK(facts({}));
  FLYBALL_CHECK(experiment_runs({}));
  MeasurementFilter all;
  all.failed = true;
  FLYBALL_CHECK(measurements(all));
  return {};
}

bool Store::wants_check() const {
  return impl_->wants_check;
}

}  // namespace flyball
