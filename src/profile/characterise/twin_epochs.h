// Whole epochs of a network on a simulated board, told as epochs of a real one are.
#pragma once

#include <optional>

#include "device/registry/board.h"
#include "profile/characterise/epochs.h"
#include "twin/twin.h"

namespace flyball {

struct TwinEpochs {
  EpochRequest request;  ///< workload, phase, batch size, loader, epochs, steps and seed count
  PowerMode mode{};      ///< an axis that is absent is at its highest
  std::optional<TwinStorage> storage{};  ///< where the data lie; nothing: the board's first
  double cached = 0;       ///< share of the data set in the page cache as the first epoch begins
  double most_cached = 1;  ///< that later epochs can find there
  bool drop_each = false;  ///< the page cache is dropped before each epoch
  bool governors = false;  ///< clocks follow the load below the mode's; else they are pinned
};

/// No time passes. What a simulation does not know (loss, system calls) is left out. `board` is a
/// simulated one. Errors: workloads that the twin does not know, settings that the board has not,
/// more memory than it has.
Result<EpochRun> simulate_epochs(const Board& board, const TwinEpochs& wanted);

}  // namespace flyball
