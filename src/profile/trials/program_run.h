// The user's own program, whatever framework: started in a process group of its own, its marks
// read, ended with everything it has started.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/os/temp_folder.h"
#include "space/axis.h"
#include "space/measurement.h"
#include "telemetry/marks/marks.h"
#include "telemetry/process/command.h"
#include "telemetry/process/output_log.h"

namespace flyball {

struct ProgramOptions {
  std::vector<std::string> argv;
  /// Settings of the trial: `batch_size` reaches the program as FLYBALL_BATCH_SIZE, and so on.
  Settings settings;
  std::vector<std::string> environment{};  ///< "NAME=value", on top of ours
  Streams streams{};                       ///< of the command
  /// Keeps the newest of its output (for error messages), and leaves the terminal and Ctrl-C to us.
  bool in_background = false;
};

/// One marked minibatch. Times that the program does not mark are NaN.
struct MarkedMinibatch {
  int64_t begin_ns = 0, end_ns = 0;
  double stall_ms = 0, compute_ms = 0;

  double e2e_ms() const { return static_cast<double>(end_ns - begin_ns) * 1e-6; }
  /// As a measurement keeps it: what is not marked is 0.
  MinibatchTimes times() const;
};

class ProgramRun {
 public:
  /// Errors: the program cannot be started; the marks' file cannot be made, e.g. in a full /tmp.
  static Result<std::unique_ptr<ProgramRun>> start(const ProgramOptions& options);
  /// Ends what still runs of it.
  ~ProgramRun();

  /// Sleeps until the absolute monotonic time or the program's end; true when it has ended.
  bool wait_until(int64_t deadline_ns);
  /// Marks that have come since the last call.
  std::vector<Mark> take() { return marks_->take(); }
  uint64_t lost_marks() const { return marks_->lost(); }
  /// The reading end, which knows what settings the program read.
  const MarkReader& marks() const { return *marks_; }
  /// What it has reported by what was taken so far.
  const Figures& figures() const { return marks_->figures(); }
  /// Ends the program and all it has started: SIGTERM, after 2 s SIGKILL.
  void stop();
  /// After its end, or stop(): nothing, or how it failed, with the last line it printed.
  Status outcome() const;

  int64_t started_ns() const { return started_ns_; }
  RunningCommand& command() { return *command_; }
  const RunningCommand& command() const { return *command_; }

 private:
  ProgramRun(ProgramOptions options, TempFolder folder)
      : options_(std::move(options)), folder_(std::move(folder)) {}

  ProgramOptions options_;
  TempFolder folder_;
  std::unique_ptr<OutputLog> output_;
  std::unique_ptr<MarkReader> marks_;
  std::unique_ptr<RunningCommand> command_;
  int64_t started_ns_ = 0;
  bool stopped_ = false;
};

/// "FLYBALL_BATCH_SIZE", by which a program reads the setting batch_size.
std::string setting_variable(const std::string& name);
/// "FLYBALL_BATCH_SIZE=32" for each setting.
std::vector<std::string> setting_variables(const Settings& settings);

/// Minibatch marks as minibatches: each one begins where the one before has ended, the first one
/// at `begin_ns`.
class MinibatchMarks {
 public:
  explicit MinibatchMarks(int64_t begin_ns) : last_ns_(begin_ns) {}
  MarkedMinibatch next(const Mark& mark);

 private:
  int64_t last_ns_;
};

}  // namespace flyball
