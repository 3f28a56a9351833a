// How long a board takes from one power mode to another.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "device/device.h"

namespace flyball {

/// One change, in one direction.
struct ModeSwitch {
  std::string name;  ///< the axis that changes, "all" of them, or "" for modes that a user named
  PowerMode from{}, to{};
  /// From the request until everything was written and read back, and pinned clocks read as asked,
  /// in ms; one of each round.
  std::vector<double> ms{};
  int unseen = 0;  ///< rounds in which the clocks did not read as asked within the patience

  Quartiles spread() const { return quartiles(ms); }
};

struct SwitchCost {
  std::string device{}, fingerprint{};  ///< as in Measurement
  int rounds = 0;
  uint64_t seed = 0;
  std::string measured_utc{};
  std::vector<ModeSwitch> switches{};

  /// The dearest change: the largest median, ms.
  double switch_ms() const;
};

struct SwitchOptions {
  int rounds = 7;
  uint64_t seed = 1;      ///< of the order in each round
  double patience_s = 1;  ///< for clocks to read as asked
  const std::atomic<bool>* interrupted = nullptr;
  std::function<void(size_t done, size_t total)> progress{};
};

/// Of each axis that can be set, and nobody has to ask for, from its cap to its lowest value and
/// back, and of all at once;
/// between each two of `modes` in both directions, where at least two are named: what only one of
/// them names is in the other as the board has it. Error: nothing can be set here.
Result<std::vector<ModeSwitch>> switches_of(const Device& device,
                                            const std::vector<PowerMode>& modes);

/// Times them; the board stays in the last mode until it is restored. Errors: one mode cannot be
/// set; `interrupted`.
Result<SwitchCost> measure_switches(Device& device, std::vector<ModeSwitch> switches,
                                    const SwitchOptions& options);

}  // namespace flyball
