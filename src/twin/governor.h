// Clocks that are left to their governors (DVFS on): they follow the load below the mode's caps.
#pragma once

#include <vector>

#include "space/axis.h"
#include "twin/board.h"

namespace flyball {

/// The CPU's clock as schedutil has it: a quarter above what the work of the busiest core, that of
/// the main process, needs. Waiting for the GPU is no work. The GPU's as devfreq on Tegra has it:
/// so that it is busy for about a third of the time (POMACS 6(3), section 5.5: 7 % at 1377 MHz
/// become 14 to 34 % at 300). Cores share one clock; the memory's stays at its cap under load.
class TwinGovernor {
 public:
  /// `caps`: an axis that is absent may go to its highest. Starts at the caps.
  TwinGovernor(const TwinBoard& board, const PowerMode& caps);

  const PowerMode& mode() const { return mode_; }
  double cpu_mhz() const { return cpu_.mhz; }
  double gpu_mhz() const { return gpu_.mhz; }  ///< 0 without a GPU's clock
  /// What went on for `seconds` at these clocks: the main process worked and the GPU was busy for
  /// so long. True when a clock changes.
  bool observe(double seconds, double work_s, double gpu_s);

 private:
  struct Clock {
    std::vector<double> values;  ///< MHz, up to the cap
    double mhz = 0, busy = 1;    ///< now; share of the time, of late
    double margin = 1;           ///< clock wanted over the clock that the work just fills
    double memory_s = 0;         ///< how far back it looks
    bool follow(double seconds, double busy_s);
  };
  static Clock clock(const TwinBoard& board, const PowerMode& caps, const char* axis);

  PowerMode mode_;
  Clock cpu_, gpu_;
};

/// The mode that governors leave a board in that does nothing.
PowerMode resting_mode(const TwinBoard& board, const PowerMode& caps);

}  // namespace flyball
