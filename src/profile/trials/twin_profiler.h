// A simulated board as if it were a board: trials take no time, and say `simulated`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "device/registry/board.h"
#include "profile/trials/profiler.h"
#include "twin/twin.h"

namespace flyball {

/// The condition that says what was simulated: what the default comes to without noise.
inline constexpr const char* simulated_condition = "simulated";

struct TwinTrialOptions {
  bool batch_fixed = false;  ///< its batch size cannot be chosen, as beside a service
  std::vector<Axis> open{};  ///< run axes to open beside the default ones, or axes to narrow
  Accepted accepted{};       ///< rows that fits take besides those simulated
  std::optional<uint64_t> memory{};  ///< bytes that a network may take; nothing: as the board has
  bool memory_check = true;          ///< false: what does not fit is offered, and fails as it would
  int minibatches = 40;              ///< counted; the first one is kept apart, as the papers do
  uint64_t seed = 1;                 ///< of noise: the n-th trial of a configuration draws its own
};

/// Axes: those of the board; of inference also `batch_size` (served_batches()); `batch_size`,
/// `loader_workers` and `prefetch` where they are opened. Default: the highest of every board axis
/// (MAXN) at batch size 16, data loaded as the workload's tables were; what inference takes is
/// resident unless a loader's axis is opened. Batch sizes for which the
/// board has not enough memory are left out, which a gap says; so are all that `open` did not name.
/// Errors: axes or values that make no sense; no batch size fits; what Twin::make() says.
Result<std::unique_ptr<Profiler>> make_twin_profiler(const Board& board, TwinWorkload workload,
                                                     const TwinTrialOptions& options);

}  // namespace flyball
