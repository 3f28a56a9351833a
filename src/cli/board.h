// What `--device` and `--data` name: a board to profile a workload on.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/os/temp_folder.h"
#include "cli/common_options.h"
#include "cli/measuring.h"
#include "cli/memory_options.h"
#include "cli/option_scope.h"
#include "cli/quantities.h"
#include "cli/script_options.h"
#include "cli/training_options.h"
#include "device/registry/board.h"
#include "profile/trials/profiler.h"
#include "space/table.h"
#include "store/store.h"

namespace flyball::cli {

/// The options that say what runs where.
struct ProfilerOptions {
  std::string workload;              ///< "" for a program
  std::vector<std::string> program;  ///< the user's own, instead of a workload
  std::string phase;                 ///< "" takes training, or what the table has
  std::string device;                ///< as device/board.h reads it; "" is this machine
  std::string root = "/";            ///< of the files that a live board shows
  std::string data;                  ///< dataset folder; "" draws one where that is possible
  ScriptOptions script;              ///< of a workload script:FILE
  TrainingOptions training;          ///< of a network
  AskedAxes axes;
  bool batch_fixed = false;   ///< no axis of it can be opened, as beside a service
  std::string modes = "all";  ///< as profile/trials/chosen_modes.h reads them
  Accepted accepted;          ///< rows of a table that count as measurements, too
  uint64_t seed = 1;
  uint64_t cache_bytes = 0;             ///< of a sample cache for live trials; 0: none
  MemoryOptions memory;                 ///< of live trials
  std::optional<double> trial_seconds;  ///< --trial-time; where it is given no trial may be longer
  std::vector<std::string> wanted_figures;  ///< that a program has to report in each trial
  bool needs_power = false;                 ///< refused at once where the machine tells none
  bool quiet = false;
  bool dry_run = false;  ///< it is only looked at: nothing is measured, and no right to it is taken
  MeasuringOptions measuring;
  OptionScope scope;  ///< of the options above, where a command has them

  /// Time cap of a live trial.
  double trial_cap_s() const { return trial_seconds.value_or(usual_trial_s); }
};

/// Adds the options to a command.
void add_profiler_options(CLI::App& command, ProfilerOptions& options);

/// A profiler, with the table behind it where there is one.
struct OpenedProfiler {
  std::shared_ptr<MeasuringSession> measuring;  ///< of a live board; outlives the profiler
  std::shared_ptr<TempFolder> drawn;            ///< data for a dry run alone
  std::unique_ptr<Profiler> profiler;
  std::optional<WorkloadTable> table;
};
/// Opens the board of `--device` (device/board.h) and what profiles the workload there.
Result<OpenedProfiler> open_profiler(const ProfilerOptions& options);

/// What the help of a command's `--device` says besides the kinds of boards that there are.
struct DeviceHelp {
  std::vector<std::string> refused{};  ///< kinds that mean nothing to the command
  std::string otherwise = "default: what this machine is";
  bool may_be_absent = false;  ///< a kind of board by its name alone is taken, too
};
/// `--device`, with the kinds of boards that the command takes as its help.
CLI::Option* add_device_option(CLI::App& command, std::string& device, const DeviceHelp& help = {});
/// The same and `--root`.
void add_device_option(CLI::App& command, std::string& device, std::string& root,
                       const DeviceHelp& help = {});
/// `--board NAME`: of what is kept, only what was measured on the board of this name.
void add_board_filter(CLI::App& command, std::string& board);
/// `--root DIR`: a folder that stands for / in what is read and set of the machine.
void add_root_option(CLI::App& command, std::string& root);
/// --board: which board this machine is, as FLYBALL_BOARD names it (boards/identity.h).
void add_board_name(CLI::App& command);
/// The folder that `--root` names, without links. Errors: there is none, or it has neither proc nor
/// sys.
Result<std::filesystem::path> root_folder(const std::string& root);
/// Error: `--root` or `--board` was given, which say what this machine is, and `device` is a
/// simulated board or a table.
Status check_machine_options(const std::string& device, const std::string& root);
/// Opens what `--device` and `--root` name. Errors also: those of check_machine_options().
Result<std::unique_ptr<Board>> open_named_board(const std::string& device, const std::string& root);

/// Where a network computes on the board. A board whose GPU may compute does so where LibTorch has
/// CUDA; where it has not, that is said aloud.
std::string compute_place(const BoardInfo& board);
/// The board as what networks do there is stored: where they compute is found out, and stands in
/// the fingerprint where the board leaves it open, since numbers of another place do not compare.
BoardInfo computing_board(const BoardInfo& board);

/// Error: a workload was named beside a program after --.
Status check_alone(const std::string& workload);
/// The named dataset folder, or the drawn set of a workload's kind (data/makers/default_set.h).
Result<std::filesystem::path> dataset_folder(const std::string& workload, const std::string& named,
                                             bool quiet);

/// Does `--modes` say how many to draw by --seed?
bool draws_modes(const std::string& modes);
/// `--modes`: which power modes there are to choose from (profile/trials/chosen_modes.h).
void add_modes_option(CLI::App& command, std::string& modes);

/// `--axis`, one choice (space/axis_choice.h) each time, and `--batch-size` and `--workers`, two
/// axes by names of their own.
void add_axis_option(CLI::App& command, AskedAxes& axes);

}  // namespace flyball::cli
