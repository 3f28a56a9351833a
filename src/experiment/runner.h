// Runs an experiment: every setting, every repeat, each one in the store before the next one.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "device/registry/board.h"
#include "experiment/run_figures.h"
#include "experiment/spec.h"
#include "store/store.h"

namespace flyball {

struct ExperimentOptions {
  /// A folder of each experiment, for its report, and one of data. What earlier programs kept there
  /// (results.jsonl) is taken into the store.
  std::filesystem::path out = "out/experiments";
  std::filesystem::path data;        ///< dataset, instead of the TOML's
  std::filesystem::path root = "/";  ///< of the board's files
  BoardInfo board{};       ///< what it runs on; `compute` is where its networks do, found out
  Store* store = nullptr;  ///< null: nothing is kept
  std::string command{};   ///< as it was typed
  bool fresh = false;      ///< measure again what was measured before
  const std::atomic<bool>* interrupted = nullptr;
  /// What the board draws in its present mode while nothing trains, of this total of power; nothing
  /// where that was not measured, or deserves doubt.
  std::function<std::optional<double>(const std::string& total)> idle_w{};
  /// Hundredths of an epoch, of those that are left to run, and what runs now.
  std::function<void(size_t done, size_t total, const std::string& what)> progress{};
  /// Which earlier runs are measured again, and why, before anything runs; what was taken in.
  std::function<void(const std::string&)> note{};
};

struct ExperimentResult {
  ExperimentSpec spec;
  std::vector<RunFigures> runs;  ///< repeat by repeat, settings in the order of spec.runs()
  size_t reused = 0;             ///< of them, measured by an earlier start of this experiment
  size_t wanted = 0;             ///< runs that the experiment has
  std::string device, fingerprint;
  std::string compute = "cpu";  ///< where its networks compute: "cpu", "cuda:0"
  bool gpu_unused = false;      ///< the board has a GPU of its own, and they compute beside it
  std::string started_utc;
  double seconds = 0;                   ///< wall time of this start
  std::vector<std::string> left_out{};  ///< settings that this board cannot have, each with why
};

/// Repeats are the outer loop, so that a drift of the machine meets all settings alike; runtimes
/// take turns in an order that the seed draws, each run a process of its own. A setting
/// is warmed up (two minibatches, not counted) when the network differs from that of the run
/// before. Errors: `unavailable` for knobs that this machine lacks; no dataset; what run_epochs()
/// and the store say; `interrupted`, after which the same call goes on.
Result<ExperimentResult> run_experiment(const ExperimentSpec& spec,
                                        const ExperimentOptions& options);

/// What the store has of it, under the conditions of the latest run, without running anything; of a
/// board whose networks may compute on its GPU or beside it, else what was measured at the other
/// place.
/// Error `not_found` when there is nothing.
Result<ExperimentResult> load_experiment(const ExperimentSpec& spec,
                                         const ExperimentOptions& options);

/// Can this machine be set as the runs ask? Errors: `unavailable` for knobs that it lacks, named.
Status check_experiment(const ExperimentSpec& spec, const ExperimentOptions& options);

/// Why runs of this board tell no power; "" where they do.
std::string missing_power(const ExperimentOptions& options);
/// Is there a GPU whose load and clock they tell?
bool shows_gpu(const ExperimentOptions& options);

/// The stored runs that run_experiment() would take over, unless `fresh`. Nothing is written: what
/// earlier programs kept is not taken into the store.
Result<std::vector<RunFigures>> held_runs(const ExperimentSpec& spec,
                                          const ExperimentOptions& options);

/// The experiment before anything ran: board, how many runs it wants, and a fingerprint without
/// conditions (fingerprint.h).
ExperimentResult begin_experiment(const ExperimentSpec& spec, const ExperimentOptions& options,
                                  const BoardInfo& board);

/// "workers 2, clear epoch": the varied settings of a run.
std::string run_label(const ExperimentSpec& spec, const RunSettings& run);

}  // namespace flyball
