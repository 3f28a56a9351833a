// Trains or serves a network on this very machine, with real clocks.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>

#include "device/registry/board.h"
#include "profile/trials/profiler.h"
#include "profile/trials/run_data.h"
#include "profile/trials/stopping.h"

namespace flyball {

struct LiveOptions {
  std::string workload = "lenet5";
  Phase phase = Phase::train;
  std::filesystem::path data;  ///< dataset folder
  ScriptRequest script{};      ///< of "script:FILE"
  /// How it is trained: optimizer, precision, parts of a minibatch; what a trial sets, it sets.
  StepOptions step{};
  int image_size = 0;  ///< as SampleSize has it
  /// Whose numbers these are, and where the network computes; without a name: the device's own.
  BoardInfo board;
  Presets presets{};       ///< of the board
  Settings job;            ///< fixed run settings that differ from the defaults
  std::vector<Axis> open;  ///< run axes to open beside the default ones, or to narrow them
  StoppingOptions stopping;
  double warm_up_s = 0.3;  ///< minibatches before this, and the first one, are not counted
  double settle_s = 0.05;  ///< after the mode is set
  uint64_t seed = 1;
  uint64_t cache_bytes = 0;  ///< of a sample cache, filled before the first trial; 0: none
  /// Leave out configurations that do not fit into memory (memory_fit.h).
  bool memory_check = true;
  bool runs_nothing = false;  ///< a look ahead: of memory and cost only what is known already
  std::optional<uint64_t> memory{};  ///< bytes there are for it; nothing: as the machine tells
  const std::atomic<bool>* interrupted = nullptr;  ///< checked after each minibatch; may be null
};

/// Axes: those of the device, `loader_workers` and `prefetch` (0 where there are no workers), and
/// `batch_size` when it is opened; `tokens` (of a row of text) takes one value, for all trials.
/// Default: the device's default mode with inline loading, which is what PyTorch's DataLoader does
/// unless told otherwise. Errors: unknown workload, no dataset, axes or values that make no sense.
Result<std::unique_ptr<Profiler>> make_live_profiler(std::unique_ptr<Device> device,
                                                     std::unique_ptr<PowerMeter> meter,
                                                     const LiveOptions& options);

}  // namespace flyball
