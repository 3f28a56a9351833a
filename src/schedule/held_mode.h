// The mode that a run has set, held against what puts it back meanwhile: a helper that was started
// anew, or has not heard of this process for too long (Device::still_set()).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "device/device.h"

namespace flyball {

/// Used by one thread at a time, the one that sets modes; stands() by any.
class HeldMode {
 public:
  /// `told` hears of each mode that is set, in words; "": the board has left it, and it cannot be
  /// set again. May be empty. The device outlives this.
  explicit HeldMode(Device& knobs, std::function<void(const std::string& mode)> told = {},
                    double look_s = 10);

  /// Sets it, and holds it from now on. Errors: those of Device::apply(); the mode before is held.
  Status set(const PowerMode& mode);
  /// Is it time to ask whether the board is still in it? No, where none was set.
  bool due(int64_t now_ns);
  /// Error: it was put back, and has not been set again.
  Status still_set();
  Status set_again();

  Device& knobs() { return knobs_; }
  /// Is the board in it, as far as is known? Not where none was set, where it is lost, or where
  /// another one was set in vain.
  bool stands() const { return stands_; }
  std::string text() const;                        ///< of the mode; "": none was set
  double longest_set_s() const { return set_s_; }  ///< that setting a mode has taken

 private:
  Status apply(const PowerMode& mode);

  Device& knobs_;
  std::function<void(const std::string&)> told_;
  int64_t look_ns_, next_look_ns_ = 0;
  std::optional<PowerMode> mode_;
  Status lost_;
  std::atomic<bool> stands_{false};
  double set_s_ = 0;
};

}  // namespace flyball
