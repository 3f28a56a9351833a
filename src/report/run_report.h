// Any stored run as the document that the page shows (docs/report-data.md), and in a line.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "store/run.h"

namespace flyball {

/// The answer of a tune as its page, with what the store keeps of it: what was profiled, the
/// choice, the default and the front. A plan as a plan. Any other run (an import, one that was cut
/// off) as the list of its trials.
nlohmann::ordered_json run_report(const StoredRun& run,
                                  const std::vector<StoredMeasurement>& trials);

/// One trial of a run, as `flyball runs show --json` lists it: its settings, its conditions, and
/// trial_facts().
nlohmann::ordered_json stored_trial_json(const StoredMeasurement& stored);

/// What came of a run. "" where a run has no answer, or one of another command.
struct RunSummary {
  std::string workload;  ///< of each role: "resnet18 + mobilenet"
  std::string best;      ///< "12.3 ms, 20.1 W"; "nothing feasible"
  std::string choice;    ///< "cpu_cores 4, gpu_mhz 816"
};
RunSummary summary_of(const StoredRun& run);

}  // namespace flyball
