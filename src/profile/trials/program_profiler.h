// Trials of the user's own program: each one starts it, waits for clean minibatches, measures, and
// ends its process group.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device.h"
#include "device/power_meter.h"
#include "profile/trials/profiler.h"
#include "profile/trials/stopping.h"

namespace flyball {

struct ProgramTrialOptions {
  /// `{batch_size}` in a word becomes the trial's value of that axis.
  std::vector<std::string> argv;
  /// Axes besides those of the device; the program reads them by flyball.setting() and its like, or
  /// as FLYBALL_BATCH_SIZE and so on. An axis of the device may be narrowed.
  std::vector<Axis> open;
  Presets presets{};                       ///< of the board
  std::vector<std::string> environment{};  ///< "NAME=value", on top of ours
  StoppingOptions stopping;
  double warm_up_s = 0.5;    ///< minibatches before this, and the first one, are not counted
  double settle_s = 0.05;    ///< after the mode is set
  double patience_s = 120;   ///< a program that has marked and then marks nothing so long hangs
  double unmarked_s = 1800;  ///< a program without marks is measured as a whole, at most so long
  /// As asked for by the user: a whole run that takes longer cannot be cut, so it is refused.
  std::optional<double> whole_run_limit_s;
  /// Figures that the trial is for: it goes on until the program has reported them, though enough
  /// minibatches were seen. "memory" is measured, not reported.
  std::vector<std::string> wanted_figures;
  const std::atomic<bool>* interrupted = nullptr;
};

/// Axes: those of the device, which the program inherits (its cores by affinity), and the open
/// ones. Default: the device's default mode and the lowest value of each open axis. A program
/// without marks is measured from start to end, and its measurement says so (whole_run()). Its
/// conditions change with the files that its command names. Errors: no program; values that make no
/// sense. Measuring fails for good after the first trial where the program never read an axis that
/// was opened for it: by what its library tells, else by whether its command or one of its files
/// names the axis.
Result<std::unique_ptr<Profiler>> make_program_profiler(std::unique_ptr<Device> device,
                                                        std::unique_ptr<PowerMeter> meter,
                                                        const ProgramTrialOptions& options);

}  // namespace flyball
