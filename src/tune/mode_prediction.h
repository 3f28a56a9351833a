// Time and power of every mode of a board from a few that were measured: the request behind
// `flyball predict`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "predictors/complete.h"
#include "store/stored_trials.h"
#include "twin/board.h"

namespace flyball {

/// Which modes there are, and of which board.
struct KnownModes {
  std::string device;  ///< name of the board
  std::vector<Space> spaces;
  std::vector<WorkloadTable> tables;  ///< of table:FILE: what was measured there
  std::optional<Error> unopened;      ///< a kind of board that this machine is not
  bool simulated = false;             ///< of twin:BOARD
  bool here = false;                  ///< of this machine
  std::string fingerprint;            ///< of twin:BOARD: another number is another board
  std::optional<TwinBoard> twin;      ///< what is known of the board before anything is measured
};
/// Modes of what `--device` names. A name that is no board of this machine has no spaces:
/// references of that name may list its modes. Errors: a board that cannot be opened, a table that
/// cannot be read.
Result<KnownModes> known_modes(const std::string& device);

/// What a store holds of one workload on one board.
struct StoredWorkload {
  WorkloadTable table;
  std::vector<int64_t> runs;  ///< that measured it
  LeftOutTrials left_out;
};
/// Those that count (store/stored_trials.h), each board's under the conditions of its latest. Of
/// several boards a configuration has one reading of each. Errors: there are
/// none (not_found), none counts; what is stored differs in phase, axes or power total.
Result<StoredWorkload> stored_workload(Store& store, const MeasurementFilter& filter,
                                       Accepted accepted = {});

/// A workload of which nothing is measured, over the axes of the board and what runs are set to: at
/// batch size 16, of an inference at each that services choose among. Error: the board's modes or
/// the network are not known to its twin.
Result<WorkloadTable> unmeasured_workload(const KnownModes& modes, const std::string& workload,
                                          Phase phase);

/// Several files of one workload as one table, the later row of a configuration last. `names` say
/// which part is at fault. Error: parts that differ in workload, phase, device, axes or power
/// total.
Result<WorkloadTable> joined(std::span<const WorkloadTable> parts,
                             std::span<const std::string> names);

/// The modes themselves: of the board, else of the references of its name. Error: nobody lists any.
Result<std::vector<Space>> spaces_of(const KnownModes& modes,
                                     std::span<const WorkloadTable> references);

/// Every mode of the board, measured where `measured` has it, else predicted. References of the
/// board's name list its modes where the board itself does not. Predictors are told what the
/// board's twin says of the workload. Errors: unknown modes; as complete().
Result<CompletedTable> predict_modes(const WorkloadTable& measured, const KnownModes& modes,
                                     std::span<const WorkloadTable> references,
                                     const std::string& predictor, uint64_t seed);

/// The predicted rows in short: values and half-widths of their 90 % intervals in percent.
struct PredictionSummary {
  std::vector<double> time_ms, time_pct, power_w, power_pct;
  size_t predicted = 0, extrapolated = 0;
};
PredictionSummary summarise(const CompletedTable& all);

}  // namespace flyball
