// Any stored run as the document that the page shows (docs/report-data.md), and in a line.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "experiment/stored_figures.h"
#include "store/run.h"
#include "tune/board_costs.h"

namespace flyball {

/// "record", "measure" or "profile": the command whose run was recorded into a file of its own; ""
/// for any other run.
std::string recorded_kind(const StoredRun& run);

/// The answer of a tune, a plan, an experiment or a profile as its page. Any other run (an import,
/// one that was cut off) as the list of its trials.
Json run_report(const StoredRun& run, const std::vector<StoredMeasurement>& trials,
                const BoardCosts& costs, const std::vector<StoredFigures>& experiment_runs = {});

/// A run as `flyball runs list --json` lists it, with its answer.
Json stored_run_json(const StoredRun& run);
/// With its trials, and of an experiment its runs, as `flyball runs show --json` prints it.
Json stored_run_json(const StoredRun& run, const std::vector<StoredMeasurement>& trials,
                     const BoardCosts& costs,
                     const std::vector<StoredFigures>& experiment_runs = {});
/// The idle power of a measurement's mode; null where that was not measured.
const StoredIdle* idle_of(const BoardCosts& costs, const StoredMeasurement& measurement);

/// What came of a run. "" where a run has no answer, or one of another command.
struct RunSummary {
  std::string workload;  ///< of each role: "resnet18 + mobilenet"
  std::string best;      ///< "12.3 ms, 20.1 W"; "nothing feasible"
  std::string choice;    ///< "cpu_cores 4, gpu_mhz 816"
};
RunSummary summary_of(const StoredRun& run);

}  // namespace flyball
