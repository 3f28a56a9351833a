// The store: every measurement, every run and every fact about a board, in one SQLite file.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "store/board_fact.h"
#include "store/experiment_run.h"
#include "store/run.h"

namespace flyball {

struct StoreOptions {
  int busy_timeout_ms = 5000;        ///< how long to wait for another writer
  int64_t max_pages = 0;             ///< limit of the file in pages of 4 KiB; 0: none
  bool create = true;                ///< where there is none; false: error not_found
  bool migrate = true;               ///< tables of an older Flyball; false: error permission
  int64_t checked_bytes = 16 << 20;  ///< a file up to this size is checked when it is opened: 0.1 s
};

/// What of a deleted run stays, as other runs have taken it over.
struct KeptOfRun {
  size_t trials = 0;            ///< measurements, and measured runs of an experiment
  std::vector<int64_t> runs{};  ///< that rely on them, ascending
};

/// Measurements and runs. What a call has returned for is on the disk: a process killed at any
/// moment, or a power cut, loses at most the call in flight. May be used from several threads, and
/// by several processes at once. Not to be carried over a fork.
/// Errors of every call: conflict (another process writes; it is named), io (disk full),
/// permission, corrupt (what is damaged; the file is left as it is).
class Store {
 public:
  /// Opens or creates `place`: a file, or an existing folder, or a name that ends in '/', in which
  /// the file is store.db. Errors also: written by a newer Flyball; somebody else's database.
  static Result<Store> open(const std::filesystem::path& place, const StoreOptions& options = {});
  /// The same for who only looks: also a store that this user may read and not write to, as it
  /// stands, and one in PostgreSQL, which is named as names_postgres() (sql/database.h) has it.
  /// What would change it then fails with `permission`. Error also: it was written by an older
  /// Flyball, or a writer has left its last changes in a log beside it.
  static Result<Store> open_to_read(const std::filesystem::path& place,
                                    const StoreOptions& options = {});
  /// $FLYBALL_STORE, else data_folder()/store.db (base/places.h).
  static std::filesystem::path default_place();
  /// Its file where the place is a folder.
  static std::filesystem::path file_of(const std::filesystem::path& place);

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();
  std::filesystem::path path() const;  ///< the file
  /// Tells it from every other store, also from one that others were collected into: 32 hexadecimal
  /// digits, made with it. A copy of the file has the same.
  Result<std::string> identity();
  /// Its last writer did not end properly, and the file is too large to be checked by the way.
  bool wants_check() const;

  /// Starts a run in this process and returns its id. It is in the record that the request names,
  /// else in that of FLYBALL_RECORD, which whoever records a command sets.
  Result<int64_t> begin_run(const RunRequest& request);
  /// Goes on in this process with the latest interrupted run that asks for the same (all but the
  /// command line agree), else begins one; its number. Of two that ask at once, one goes on.
  Result<int64_t> begin_or_resume(const RunRequest& request);
  /// Ends a run with its answer as JSON ("" when there is none). `state` is not running.
  Status finish_run(int64_t run, RunState state, const std::string& answer);
  /// A finished run with its measurements in one step, all or nothing: an import.
  Result<int64_t> add_run(const RunRequest& request, std::span<const Measurement> measurements,
                          const std::string& answer);
  /// The same with measured runs of an experiment.
  Result<int64_t> add_experiment(const RunRequest& request, std::span<const ExperimentRun> rows);

  Result<std::vector<StoredRun>> runs();  ///< latest first
  /// Those that were made here and are in the record of this file, ascending.
  Result<std::vector<StoredRun>> runs_in_record(const std::string& record);
  /// The requests of all runs on a board, by the run's number.
  Result<std::map<int64_t, std::string>> requests(const std::string& device,
                                                  const std::string& fingerprint);
  Result<StoredRun> run(int64_t run);
  /// What a run measured and reused, in its order.
  Result<std::vector<StoredMeasurement>> run_measurements(int64_t run);
  /// Deletes a run and those of its measurements (and measured runs of an experiment) that no other
  /// run refers to, or the fact of that number; says what stays. Error conflict: it is running.
  Result<KeptOfRun> delete_run(int64_t run);

  /// Keeps a fact about a board, however many of its kind there are, and returns its number.
  Result<int64_t> keep_fact(const BoardFact& fact);
  Result<std::vector<BoardFact>> facts(const BoardFactFilter& filter);  ///< latest measured first

  /// Adds a measurement, to a run where one is given, and returns its id.
  Result<int64_t> add_measurement(const Measurement& measurement, std::optional<int64_t> run = {});
  /// Adds all of them in one transaction, or none.
  Result<std::vector<int64_t>> add_measurements(std::span<const Measurement> measurements,
                                                std::optional<int64_t> run = {});
  /// Notes that a run took over measurements instead of making them again, in one transaction. What
  /// the run holds already stays as it is.
  Status reuse(int64_t run, std::span<const int64_t> measurements);
  Result<std::vector<StoredMeasurement>> measurements(const MeasurementFilter& filter);
  /// The runs that made these measurements, ascending; one that belongs to none has no part in it.
  Result<std::vector<int64_t>> makers(std::span<const StoredMeasurement> measurements);
  /// The conditions of these measurements (`run` is not asked about), those of the latest last.
  Result<std::vector<SameConditions>> conditions(const MeasurementFilter& filter);

  /// Keeps a measured run of an experiment for the run that made it, and returns its id.
  Result<int64_t> add_experiment_run(const ExperimentRun& row, int64_t run);
  /// As reuse(), of a measured run of an experiment.
  Status reuse_experiment_run(int64_t run, int64_t row);
  Result<std::vector<ExperimentRun>> experiment_runs(const ExperimentRunFilter& filter);

  /// Reads all of it, and compares the file with itself. Error corrupt: what does not hold
  /// together.
  Status check();

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace flyball
