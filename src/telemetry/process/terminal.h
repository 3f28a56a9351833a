// Lending the terminal and passing signals on to a command that runs in our stead.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/status.h"

namespace flyball {

/// Makes a process group the foreground group of our terminal, when we are in the foreground
/// ourselves; then Ctrl-C and Ctrl-Z reach the command alone. Takes it back at the end.
class Terminal {
 public:
  ~Terminal() { take_back(); }
  void hand_to(pid_t group);
  void take_back();
  bool handed() const { return handed_; }

 private:
  bool handed_ = false;
};

/// From begin() on, SIGINT, SIGTERM, SIGHUP and SIGQUIT sent to this process go to a process group
/// instead (kept until attach() names it). The handlers that were there come back at the end.
class SignalForwarding {
 public:
  /// Error `conflict` when another one lives in this process.
  static Result<SignalForwarding> begin();
  SignalForwarding(SignalForwarding&& other) noexcept;
  SignalForwarding& operator=(SignalForwarding&&) = delete;
  ~SignalForwarding();
  void attach(pid_t group);
  /// How many signals have come.
  static int received();
  /// The last of them; 0 for none.
  static int last();
  /// When the first SIGINT or SIGTERM came (monotonic); 0: none has.
  static int64_t asked_to_end_ns();
  /// How many of SIGINT and SIGTERM have come.
  static int requests();

 private:
  SignalForwarding() = default;
  bool active_ = true;
};

}  // namespace flyball
