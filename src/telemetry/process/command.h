// A command in its own process group: started, watched, signalled and waited for.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "telemetry/process/process_tree.h"
#include "telemetry/process/spawn.h"

namespace flyball {

struct CommandOptions {
  /// Pass on SIGINT, SIGTERM, SIGHUP and SIGQUIT that reach us, and hand over the terminal, while
  /// the command runs. One such command at a time in a process.
  bool foreground = true;
  std::vector<std::string> environment{};  ///< "NAME=value", on top of ours
  Streams streams{};
};

/// What processes used that have ended and were waited for.
struct EndedUse {
  double user_s = 0, system_s = 0;
  double max_resident_bytes = 0;  ///< of any one of them; 0 when the kernel's figure is not theirs
  uint64_t minor_faults = 0, major_faults = 0, voluntary_switches = 0, involuntary_switches = 0;
  PidIo io;
  bool io_known = true;  ///< false when the kernel refused the figures of one of them
  int processes = 0;     ///< that we waited for; their own children are in their figures
};

/// What Flyball asks to end, having no more use for it, gets so much time before it is killed, ...
inline constexpr int64_t command_grace_ns = 1'500'000'000;
/// ... and what the user or the system asks to end, which may have something to save, this much.
inline constexpr int64_t foreground_grace_ns = 10'000'000'000;

/// While one of these lives, this process is a child subreaper and must start no other children,
/// but for tools of sensors (base/os/tool_process.h): orphans of the command are adopted and
/// counted. When this process dies, its guard ends the command's group (base/guard.h).
class RunningCommand {
 public:
  /// Errors: nothing to run; not found; not executable; `conflict` for a second foreground one.
  static Result<std::unique_ptr<RunningCommand>> start(const std::vector<std::string>& argv,
                                                       const CommandOptions& options = {});
  /// Ends the group (SIGTERM, then SIGKILL) when it still runs.
  ~RunningCommand();
  RunningCommand(const RunningCommand&) = delete;
  RunningCommand& operator=(const RunningCommand&) = delete;

  pid_t pid() const { return pid_; }
  /// Sleeps until the absolute monotonic time or the command's end; true when it has ended. A
  /// foreground command that SIGINT or SIGTERM was passed on to, and that still runs after its
  /// grace or when a second one comes, is killed.
  bool wait_until(int64_t deadline_ns);
  /// Sends a signal to the whole group.
  void signal(int number) const;
  /// The last signal that reached us while a foreground command ran, and went to it; 0 for none.
  int passed_on() const;
  /// Looks for new members and waits for orphans that have ended.
  void refresh();
  /// After its end: does it leave something that is worth waiting for? A signal that reaches a
  /// foreground command's wait goes to its group as ever; then what has left the group is waited
  /// for no longer, and after a second signal, or the grace, nothing is.
  bool others_run();
  const ProcessTree& tree() const { return tree_; }
  /// After its end: waits for it and for what else has ended of its tree. `leave_running` false
  /// kills what lives on.
  void finish(bool leave_running);
  const EndedUse& ended() const { return ended_; }
  /// As a shell shows it: the exit code, or 128 + the signal that ended it. After finish().
  int exit_code() const { return exit_code_; }
  /// The signal that ended it; 0 for none.
  int end_signal() const { return end_signal_; }
  /// Members that live on after finish(true).
  int left_running() const { return left_running_; }

 private:
  explicit RunningCommand(std::vector<pid_t> bystanders);
  void reap(pid_t pid);
  void follow_stop();

  pid_t pid_ = 0;
  int pidfd_ = -1;
  bool finished_ = true;  ///< nothing to wait for; false while it runs
  int exit_code_ = 0, end_signal_ = 0, left_running_ = 0;
  int signals_before_wait_ = -1;  ///< none yet: others_run() was not asked
  double own_peak_bytes_ = 0;
  class Foreground;
  std::unique_ptr<Foreground> shield_;
  ProcessTree tree_;
  EndedUse ended_;
};

/// What a shell would return for a command that could not be started: 127 not found, 126 otherwise.
int start_failure_exit_code(const Error& error);

}  // namespace flyball
