// Measured runs of experiments in the store.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiment/run_figures.h"
#include "store/store.h"

namespace flyball {

struct StoredFigures {
  int64_t id = 0;
  std::optional<int64_t> run{};  ///< that made it; nothing: that one was deleted
  bool reused = false;           ///< taken over by the run that was asked about
  RunFigures figures{};
  std::string key{};         ///< run_key()
  std::string conditions{};  ///< fingerprint and conditions (fingerprint.h)
};
/// Equal ones are the same run of an experiment.
std::string run_key(const RunSettings& settings, int repeat);

/// Of a run in its order, else in the order they were measured. Error corrupt: a row is damaged.
Result<std::vector<StoredFigures>> stored_figures(Store& store, const ExperimentRunFilter& filter);

ExperimentRun row_of(const RunFigures& figures);

struct TakenIn {
  StoredRun run;       ///< that holds the lines
  bool there = false;  ///< an earlier import brought them
};
/// Takes a file of lines (run_lines.h) into the store as one run, once. Errors: it holds none, or
/// ends within one.
Result<TakenIn> take_in_lines(Store& store, const std::filesystem::path& file,
                              const std::string& command);
/// The file that earlier programs kept in the folder of an experiment. Its lines do not say on
/// which device they ran, and in which folder their set was drawn.
Result<TakenIn> take_in_results(Store& store, const std::filesystem::path& file,
                                const std::string& command, const std::string& device,
                                const std::filesystem::path& out);

}  // namespace flyball
