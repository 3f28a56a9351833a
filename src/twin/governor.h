// Clocks that are left to their governors (DVFS on): they follow the load below the mode's caps.
#pragma once

#include <array>
#include <vector>

#include "space/axis.h"
#include "twin/board.h"

namespace flyball {

/// A cluster's clock as schedutil has it: a quarter above what the work of its busiest core needs.
/// The main process waits for the GPU in a loop, which is work to it; loader workers and the rest
/// have the other clusters, where there are any. The GPU's as devfreq on Tegra has it: so that it
/// is busy for about a third of the time (POMACS 6(3), section 5.5: 7 % at 1377 MHz become 14 to 34
/// % at 300). The memory's stays at its cap under load.
class TwinGovernor {
 public:
  /// `caps`: an axis that is absent may go to its highest. Starts at the caps.
  TwinGovernor(const TwinBoard& board, const PowerMode& caps);

  const PowerMode& mode() const { return mode_; }
  double cpu_mhz() const { return cpu_.mhz; }
  double other_cpu_mhz() const { return other_cpu_.mhz; }  ///< of the other clusters
  double gpu_mhz() const { return gpu_.mhz; }              ///< 0 without a GPU's clock
  std::array<double, 3> clocks() const { return {cpu_mhz(), other_cpu_mhz(), gpu_mhz()}; }

  /// Seconds that the main process, the busiest core of the other clusters and the GPU were busy.
  struct Load {
    double main_s = 0, others_s = 0, gpu_s = 0;
  };
  /// What went on for `seconds` at these clocks. True when a clock changes.
  bool observe(double seconds, const Load& load);

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
  Clock cpu_, other_cpu_, gpu_;
};

/// The mode that governors leave a board in that does nothing.
PowerMode resting_mode(const TwinBoard& board, const PowerMode& caps);

}  // namespace flyball
