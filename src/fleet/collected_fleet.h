// What a store that others were collected into knows of many boards: their health, how much they
// differ, the best modes of each workload, and their software.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "space/axis.h"
#include "space/like_boards.h"
#include "space/measurement.h"
#include "sql/database.h"

namespace flyball {

struct FleetShowQuestion {
  double stale_s = 7 * 86400.0;   ///< a board that was last seen longer ago is stale
  std::vector<double> budgets_w;  ///< of the best modes; empty: without a budget
  std::string now_utc;            ///< ISO 8601
};

/// A board is a store, whatever its kind, or several that were collected as one board's (--board);
/// what only collects is none.
struct CollectedBoard {
  std::string name, store;         ///< what its store was last called, and its identity
  std::vector<std::string> kinds;  ///< "orin_agx"; several where one store has several devices
  std::string flyball;             ///< that made the newest tables of its store
  std::string last_seen_utc;       ///< "" where it never measured
  std::string collected_utc;       ///< "" of this store itself
  std::optional<double> age_s{};   ///< since it was seen
  bool stale = false;
  size_t runs = 0, unfinished = 0;  ///< of these, interrupted and failed ones
  size_t measurements = 0, failed = 0, throttled = 0, disturbed = 0;
  /// Of equal trials that other boards of its kind made, too: mean ratio to the mean of all.
  size_t compared_trials = 0;
  std::optional<double> time_ratio{}, power_ratio{};
  bool outlier = false;  ///< a spread names it
};

/// Equal trials of several boards of one kind, software, workload and provenance. Simulated boards
/// with a number are boards of one kind.
struct CollectedSpread : BoardsSpread {
  std::string kind{}, workload{}, phase{}, provenance{};
};

/// The fastest known mode within a budget, or the one of least energy.
struct CollectedMode {
  std::string kind, workload, phase, provenance, power_total;
  std::string objective;             ///< "time" or "energy"
  std::optional<double> budget_w{};  ///< nothing: without
  Settings settings, mode;
  size_t boards = 0, measurements = 0;
  double minibatch_ms = 0;
  std::optional<double> power_w{}, sample_j{};
  std::optional<double> epoch_s{}, epoch_j{};  ///< nothing: the length of an epoch is not known
  double epoch_samples = 0;                    ///< 0: not known
};

struct CollectedSoftware {
  std::string kind, fingerprint;
  size_t boards = 0, measurements = 0;
};

struct CollectedFleet {
  std::string store;
  FleetShowQuestion question;
  std::vector<CollectedBoard> boards;  ///< by name
  std::vector<CollectedSpread> spread;
  std::vector<CollectedMode> best;
  std::vector<CollectedSoftware> software;
  size_t runs = 0, measurements = 0;
  /// Measurements that neither spread nor best modes count: those of programs that mark no
  /// minibatches, and those under other conditions than the latest of their board and workload.
  size_t whole_runs = 0, other_conditions = 0;

  size_t stale() const;
  size_t outliers() const;
};

/// Failed, throttled and disturbed trials do not count but in the boards' health; what besides
/// spread and best modes leave out is told by number. What is
/// simulated, read from a table or measured is never mixed.
Result<CollectedFleet> collected_fleet(Database& database, const FleetShowQuestion& question);

Json to_json(const CollectedFleet& fleet);

}  // namespace flyball
