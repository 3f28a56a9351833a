// Does the board do what its mode says? Looked at before a trial, and while it is counted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/device.h"
#include "space/trial_facts.h"

namespace flyball {

/// A pinned clock that reads so far from what was asked does not keep it, a fraction; so much lower
/// while a trial is counted, it has been throttled.
inline constexpr double clock_tolerance = 0.05;

/// "gpu_mhz 918 reads 612": axes of the mode that the board does not keep, or, after the mode was
/// set, not yet: a clock that is to fall reads higher. Empty where it keeps all or does not tell.
std::vector<std::string> not_kept(const Device& device, const PowerMode& mode);

/// Waits at least `settle_s` after a mode was set, and until the board keeps it, at most ten times
/// as long. Returns how long it took, in seconds.
double settle(const Device& device, const PowerMode& mode, double settle_s);

/// Sets this mode alone and waits as settle(): what it does not name is as it was before this
/// device set anything, whichever modes came before. An empty one leaves all of it so. A clock that
/// does not rise before a reboot is no error where the mode sets it lower still.
Status set_alone(Device& device, const PowerMode& mode, double settle_s);

/// Looks at the clocks of one trial, five times a second at most: a look reads a dozen files.
class ClockWatch {
 public:
  ClockWatch(const Device& device, const PowerMode& mode) : device_(device), mode_(mode) {}
  /// The counted window begins.
  void begin();
  void look();
  /// Ends the window: what was seen becomes the clocks of `m`, and `m` is throttled where the mean
  /// of an axis lies clock_tolerance below what was asked; in a whole run the most that was seen,
  /// since a GPU that has nothing to do yet clocks lower.
  void end(Measurement& m);

 private:
  struct Sum {
    double sum = 0, least = 0, most = 0;
    int looks = 0;
  };
  const Device& device_;
  const PowerMode& mode_;
  int64_t next_ns_ = 0;
  std::map<std::string, Sum> seen_;
};

}  // namespace flyball
