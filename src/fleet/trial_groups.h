// What boards measured of equal trials, read from a store one trial at a time.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sql/database.h"

namespace flyball {

/// What one board measured of a trial: medians of its readings, as everywhere (space/estimate.h).
struct TrialBoard {
  int64_t board_id = 0;  ///< device and software, a row of `boards`
  int64_t place = 0;     ///< the board itself
  size_t readings = 0, powers = 0;
  double ms = 0, power_w = 0;  ///< power_w: of `powers` readings; 0 without
};

/// One job in one mode, known in one way.
struct TrialGroup {
  int64_t job_id = 0;
  std::string mode, provenance, power_total;
  std::vector<TrialBoard> boards;  ///< by board_id and place
};

/// Trials that neither failed nor were throttled or disturbed, by job, mode and provenance. The
/// database sorts, or reads an index that is sorted; here a group is kept at a time.
/// `places`: of stores, the board that they are of; of rows of this store itself it is 0.
Status each_trial_group(Database& database, const std::map<int64_t, int64_t>& places,
                        const std::function<void(const TrialGroup&)>& on_group);

/// The statement that it reads.
const char* fleet_trials_sql();

}  // namespace flyball
