// What must happen when this process dies without a word, by kill -9 or a second Ctrl-C: a small
// shell of our own that waits for our end.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace flyball {

/// One for each process, started when it is first needed. When this process
/// ends, however it ends, its guard ends the process groups that are still under watch (SIGTERM,
/// SIGKILL after 2 s), and then, where a journal of settings is left, runs the command that puts
/// them back; up to ten times, until it is gone. A process that has left its group for a session of
/// its own is not ended. Where there is no /bin/sh there is no guard: what was set is then put back
/// by the next start.
class Guard {
 public:
  /// What puts settings back, e.g. {"/usr/bin/flyball", "--version"}; before the guard is started.
  static void set_restorer(std::vector<std::string> command);
  /// Starts it; does nothing where it runs already.
  static void start();
  /// For a child between fork and exec that has just made a process group of its own: puts it
  /// under watch. Async-signal-safe. The child announces itself, so that no moment is left in which
  /// we may die and it goes on.
  static void announce_this_group();
  /// The group has ended, or may live on without us.
  static void forget(pid_t group);
  /// A journal that is to be put back when it is there after our end.
  static void watch_journal(const std::filesystem::path& journal);
};

}  // namespace flyball
