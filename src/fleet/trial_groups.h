// What boards measured of equal trials, read from a store one trial at a time.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fleet/latest_conditions.h"
#include "sql/database.h"

namespace flyball {

/// What one board measured of a trial: medians of its readings, as everywhere (space/estimate.h).
struct TrialBoard : BoardRow {
  size_t readings = 0, powers = 0;
  double ms = 0, power_w = 0;  ///< power_w: of `powers` readings; 0 without
};

/// One job in one mode, known in one way.
struct TrialGroup {
  int64_t job_id = 0;
  std::string mode, provenance, power_total;
  std::vector<TrialBoard> boards;
};

/// Trials that count (stored_trials() and of_latest_by_board() of store/stored_trials.h, but
/// whatever their provenance), by job, mode and provenance. The database sorts, or reads an index
/// that is sorted; here a group is kept at a time.
/// `places`: of stores, the board that they are of; of rows of this store itself it is 0.
/// Returns how many trials were made under other conditions than the latest of their board.
Result<size_t> each_trial_group(Database& database, const std::map<int64_t, int64_t>& places,
                                const std::function<void(const TrialGroup&)>& on_group);

/// The statement that it reads.
std::string fleet_trials_sql();

}  // namespace flyball
