// Two stored runs side by side, trial by trial.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/sources.h"
#include "store/run.h"

namespace flyball {

/// One trial that either run made; of its readings the latest.
struct ComparedTrial {
  TrialComparison trial;
  std::string first_source, second_source;  ///< names; "" where a run has not made it
  /// Do the sources compare, and do the 90 % intervals of the times not overlap? Nothing where it
  /// was not measured in both.
  std::optional<bool> established;
  double change_pct = 0;  ///< of the time, from the first to the second; NaN where not known
};

struct RunComparison {
  StoredRun first, second;
  std::vector<ComparedTrial> trials;
  Sources sources;                       ///< of both runs
  std::vector<std::string> differences;  ///< why figures of the two do not compare; may be empty
  size_t common = 0;                     ///< trials that both have measured
  /// What was compared in one line, or why nothing could be.
  std::string words() const;
};

RunComparison compare_runs(const StoredRun& first, const std::vector<StoredMeasurement>& of_first,
                           const StoredRun& second,
                           const std::vector<StoredMeasurement>& of_second);

/// Of the runs, latest first: the latest one before `run` that asked for the same workload.
/// Error not_found: there is none.
Result<int64_t> earlier_run(const std::vector<StoredRun>& runs, int64_t run);

/// As the page shows it. `command` as it was typed.
nlohmann::ordered_json comparison_report(const RunComparison& comparison,
                                         const std::string& command);

}  // namespace flyball
