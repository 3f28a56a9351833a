// Two stored runs side by side, trial by trial.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "report/sources.h"
#include "store/run.h"
#include "tune/tune.h"

namespace flyball {

/// What one run has measured of a trial: all its readings that did not fail, pooled as a tune pools
/// them.
struct ComparedSide {
  std::string source;   ///< its name; of several the latest
  Configuration known;  ///< NaN where every reading failed
  size_t readings = 0;  ///< that did not fail
  std::string doubts;   ///< trial_doubts() of the latest reading
};

/// One trial that either run made.
struct ComparedTrial {
  Trial trial;
  std::optional<ComparedSide> first, second;  ///< nothing where a run has not made it
  /// Is there a difference of the times (answers/doubt.h)? Nothing where it was not measured in
  /// both.
  std::optional<bool> established;
  std::string doubt;  ///< why not; "" when there is, or where it was not measured in both
  double change_pct = std::numeric_limits<double>::quiet_NaN();  ///< of the time, to the second
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

/// As `flyball runs compare --json` prints it.
Json to_json(const RunComparison& comparison);
/// What came of one row: "established", "the 90 % intervals overlap", "only in the first", …
std::string remark_of(const ComparedTrial& row);

/// Of the runs, latest first: the latest one before `run` that asked for the same workload on the
/// same board of a collected store.
/// Error not_found: there is none.
Result<int64_t> earlier_run(const std::vector<StoredRun>& runs, int64_t run);

}  // namespace flyball
