// One run as the authors' loggers wrote it (docs/reproduce.md says where): a folder of CSV files
// PREFIX_epoch_stats.csv, _fetch, _compute, _tegrastats, _vmtouch_stats and _io_stats, all on one
// clock. Such as mn_nw4_pf2_fetch.csv: 4 workers of the loader, each 2 minibatches ahead.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace flyball {

struct LoggedMinibatch {
  int64_t epoch = 0;                 ///< 0 is the cold one
  double minibatch_ms = 0;           ///< from one to the next
  std::optional<double> fetch_ms;    ///< waited for the loader
  std::optional<double> compute_ms;  ///< on the accelerator
  double end_s = 0;                  ///< on the run's clock
};

struct LoggedPower {
  double time_s = 0;                         ///< on the run's clock
  double power_w = 0;                        ///< the module's, at that moment
  std::optional<double> cpu_busy, gpu_busy;  ///< in %; of the cores that are on, their mean
};

struct LoggedCache {
  double time_s = 0;
  std::optional<double> cached;  ///< share of the dataset's pages in memory, 0 to 1; of none: none
};

struct LoggedReads {
  double time_s = 0, reads_per_s = 0, read_kb_per_s = 0;
};

struct LoggerRun {
  std::string name;  ///< the folder and the files' common beginning, for messages
  std::optional<int64_t> workers, prefetch;  ///< as the files' names have them
  std::vector<LoggedMinibatch> minibatches;  ///< at least one, in order
  std::vector<LoggedPower> power;            ///< in order; a reading told twice counts once
  std::vector<LoggedCache> cache;
  std::vector<LoggedReads> reads;
  size_t cut_lines = 0;  ///< last lines that a logger which was ended did not finish: left out
};

/// The files' contents; "" is one that is not there. Only epoch_stats must be.
struct LoggerTexts {
  std::string epoch_stats, fetch, compute, tegrastats, vmtouch_stats, io_stats;
};

/// Errors: no column of that name, a field that is no number, times that go back, minibatches of
/// different epochs side by side; each by file and line. A last line without its end is left out.
/// Code::unavailable: the run was ended before its first minibatch.
Result<LoggerRun> parse_logger_run(const LoggerTexts& texts, const std::string& name);

/// Which of the files are read.
enum class LoggerParts { all, minibatches_and_power };

/// The runs of a folder by name, usually one. Errors: those of files and of parse_logger_run(); no
/// file *_epoch_stats.csv (Code::not_found; names may be in any case).
Result<std::vector<LoggerRun>> read_logger_folder(const std::filesystem::path& folder,
                                                  LoggerParts parts = LoggerParts::all);

}  // namespace flyball
