// What the store keeps: runs, and the measurements that they made or took over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "space/measurement.h"

namespace flyball {

/// How a run stands. A run whose process has died without finishing it is interrupted.
enum class RunState { running, done, interrupted, failed };
const char* run_state_name(RunState state);
Result<RunState> parse_run_state(const std::string& text);

/// What makes a run: two runs that agree in all but the command line ask for the same answer.
struct RunRequest {
  std::string command;  ///< the command line as it was typed
  std::string request;  ///< the resolved request as JSON
  std::string device;
  std::string fingerprint;  ///< of the device, as in Measurement
  uint64_t seed = 0;
  std::optional<Conditions> conditions = Conditions();  ///< as in Measurement
  std::string record{};  ///< file of recording/ in which it was recorded; "" for none
};

/// Where a run comes from that was collected from another store.
struct RunOrigin {
  std::string store;    ///< its identity
  std::string name;     ///< what it was last called
  int64_t run = 0;      ///< its number there
  std::string board{};  ///< whose it is: as in StoredMeasurement
};

struct StoredRun {
  int64_t id = 0;
  RunRequest request;
  std::string started_utc;
  std::string finished_utc;  ///< "" while it runs
  RunState state = RunState::running;
  std::string answer;          ///< JSON; "" while there is none
  size_t measurements = 0;     ///< those it made and those it reused
  size_t reused = 0;           ///< of these, and of the next
  size_t experiment_runs = 0;  ///< of an experiment: those it made and those it reused

  std::optional<RunOrigin> origin;  ///< nothing: it was made in this store

  size_t rows() const { return measurements + experiment_runs; }
};

/// A measurement with its name in the store.
struct StoredMeasurement {
  int64_t id = 0;
  Measurement measurement;
  std::optional<int64_t> run;  ///< that made it; nothing: it was imported, or belongs to none
  bool reused = false;         ///< taken over from an earlier run by the run that was asked about
  std::string board{};         ///< whose store it was collected from; "": made in this store
  std::string board_name{};    ///< what it is called; two may be called the same
};

/// Which measurements; what is left open is not asked about.
struct MeasurementFilter {
  std::optional<int64_t> run;
  std::optional<std::string> device, fingerprint, workload;
  std::optional<std::string> board;      ///< a device, or what a collected board is called
  std::optional<Conditions> conditions;  ///< all of them equal
  std::optional<Phase> phase;
  std::optional<Provenance> provenance;
  std::optional<std::string> power_total;
  bool own = false;       ///< only those that were made in this store, not collected into it
  bool failed = false;    ///< also trials that failed
  bool disturbed = true;  ///< also those beside which another process measured
};

/// How many measurements were made under the same conditions.
struct SameConditions {
  std::string fingerprint;
  std::string disturbed_by;              ///< as in Interference
  std::optional<Conditions> conditions;  ///< nothing: measured before they were kept
  bool own = true;                       ///< made in this store, not collected into it
  size_t measurements = 0;
};

/// One trial in two runs: the measurements that each has of it, in their order.
struct TrialComparison {
  Trial trial;
  std::vector<const StoredMeasurement*> first, second;
};
/// Every trial of either run, those of the first in its order, then what only the second has. They
/// point into the two lists. `compared` counts how often two trials were held against each other.
std::vector<TrialComparison> compare_measurements(const std::vector<StoredMeasurement>& first,
                                                  const std::vector<StoredMeasurement>& second,
                                                  size_t* compared = nullptr);

}  // namespace flyball
