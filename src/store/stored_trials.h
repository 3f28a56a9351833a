// Which stored trials count for what is predicted, planned or compared: one rule for all of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "store/store.h"

namespace flyball {

/// Is it a figure of the board alone: no failure, nobody who measured beside it, no throttling?
bool stands_alone(const Measurement& measurement);
/// Does it count: it stands alone, and was measured, or is of a kind that somebody accepts?
bool counts(const Measurement& measurement, Accepted accepted = {});
/// Rows of measurements that stand alone, and whose times are those of minibatches. As SQL: what
/// asks so, and the index that serves it, have to have the same words.
inline constexpr const char* counted_rows_sql =
    "failure = '' AND disturbed_by = '' AND NOT throttled AND minibatch_ms > 0 AND span = "
    "'minibatch'";

/// How many do not count, and why. Failed trials are not told of.
struct LeftOutTrials {
  size_t disturbed = 0, throttled = 0, simulated = 0, predicted = 0;
  size_t whole_runs = 0;        ///< whose times are none of minibatches (of_minibatches())
  size_t other_conditions = 0;  ///< than the latest (of_latest_conditions())

  void add(const Measurement& measurement, Accepted accepted);
  void add(const LeftOutTrials& others);
  size_t all() const {
    return disturbed + throttled + simulated + predicted + whole_runs + other_conditions;
  }
  /// "2 disturbed, 1 throttled and 3 simulated trials"; "" for none.
  std::string words() const;
  /// The same as a hint, where some of them are simulated: what takes them.
  std::string accept_hint() const;
};

struct StoredTrials {
  std::vector<StoredMeasurement> trials;  ///< in their order in the store
  LeftOutTrials left_out;
};

/// Those of them that count.
StoredTrials counted(std::vector<StoredMeasurement> measurements, Accepted accepted = {});
/// What the store holds, each row of a table once: a row that was imported and what a search over
/// the same table was answered are one measurement. Errors: those of the store.
Result<std::vector<StoredMeasurement>> stored_rows(Store& store, const MeasurementFilter& filter);
/// Those of them that count.
Result<StoredTrials> stored_trials(Store& store, const MeasurementFilter& filter,
                                   Accepted accepted = {});
/// Those whose times are those of minibatches: of a program that marks none they are whole runs'.
StoredTrials of_minibatches(StoredTrials all);
/// Times of other data, libraries or kernels do not belong together: of what was measured here,
/// only what was under the conditions of the latest. What was imported was put together by the user
/// and stays.
StoredTrials of_latest_conditions(StoredTrials all);

/// Whose a trial is: the board whose store it was collected from, and of simulated boards with a
/// number, several of which may share a store, which of them.
struct TrialOwner {
  std::string board, individual;
  auto operator<=>(const TrialOwner&) const = default;
};
TrialOwner owner_of(const StoredMeasurement& stored);
/// What each owner measured; points into `trials`.
std::map<TrialOwner, std::vector<const Measurement*>> by_owner(
    const std::vector<StoredMeasurement>& trials);
/// of_latest_conditions() of each board by itself.
StoredTrials of_latest_by_board(StoredTrials all);

/// What keep_one_total() has kept and left out.
struct OneTotal {
  std::string taken;                     ///< "": not named, or nobody reads power
  std::map<std::string, size_t> others;  ///< boards, by the total that they read
  size_t without = 0;                    ///< trials without power

  /// `what`: of which trials they are.
  std::vector<std::string> notes(const std::string& what) const;
};
/// Watts of several totals do not compare, and times of others do not belong to them: keeps the
/// trials of the total that most owners read, all of them where nobody reads any.
OneTotal keep_one_total(std::vector<StoredMeasurement>& trials);

/// The settings that a training is asked about with.
struct AskedSettings {
  double batch_size = 0, loader_workers = 0, prefetch = 0;
};
/// Keeps those at these settings. Trials that do not say how they were loaded stand for any loader
/// where no other does; what a loader is ahead by decides little, and is heeded where a trial has
/// it. Is it known how those that are left were loaded?
bool keep_as_asked(std::vector<StoredMeasurement>& trials, const AskedSettings& asked);

}  // namespace flyball
