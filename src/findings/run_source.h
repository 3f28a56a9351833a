// Where runs come from that findings are asked of: a simulated board, this machine, logs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiment/runner.h"
#include "findings/published_study.h"
#include "space/measurement.h"

namespace flyball {

/// One board, and its runs in the settings that findings ask for.
class RunSource {
 public:
  virtual ~RunSource() = default;
  /// As studies name it: "xavier_agx", "host".
  virtual std::string board() const = 0;
  virtual Provenance provenance() const = 0;
  /// The mode that stands for the usual one of a board that a study does not have; "" is the board
  /// as it is.
  virtual std::string usual_mode() const = 0;
  /// Nothing where it is not known: the highest that was seen stands for it.
  virtual std::optional<double> highest_cpu_mhz() const { return {}; }
  /// Error: the figure of this setting cannot be had there, as is known before anything runs.
  virtual Status check([[maybe_unused]] const FindingSetting& setting,
                       [[maybe_unused]] const std::string& figure) {
    return {};
  }
  /// Makes what is still missing of these runs. Those that cannot be made there are left to run().
  virtual Status make([[maybe_unused]] const std::vector<FindingSetting>& settings) { return {}; }
  /// The run of a setting, both of its first and of later epochs. An error says why the board has
  /// none: what it lacks.
  virtual Result<RunFigures> run(const FindingSetting& setting) = 0;
  /// Has the board the memory to train it at batch size 16 with four workers?
  virtual Result<bool> fits(const std::string& workload) = 0;
  /// Why its runs deserve doubt, and what they lack.
  virtual std::vector<std::string> notes() const { return {}; }
  /// A figure of the table of all its modes.
  virtual Result<double> table_figure([[maybe_unused]] const TableQuestion& question) {
    return Error{Code::unavailable,
                 "it asks a table of all modes, which a simulated board has (of measured tables "
                 "`flyball evaluate` tells)",
                 ""};
  }
};

/// The experiment of one run that a setting is, with the study's modes. `epochs` are those of a
/// training; states without one last ten seconds.
ExperimentSpec experiment_of(const PublishedStudy& study, const FindingSetting& setting,
                             int epochs);
/// Does it ask for a storage other than the one that the study's board has its data on?
bool asks_other_storage(const PublishedStudy& study, const FindingSetting& setting);
/// The setting of the run that it is read from: first epochs and later ones share it.
FindingSetting run_of(FindingSetting setting);

/// Whole epochs of a simulated board, each setting once. `board` must outlive it.
std::unique_ptr<RunSource> simulated_runs(const PublishedStudy& study, const Board& board);

}  // namespace flyball
