// What each minibatch of one configuration costs before noise: the stages that the events run
// through, and what they draw.
#pragma once

#include <limits>

#include "twin/network.h"
#include "twin/twin.h"

namespace flyball {

/// A power mode on a board, resolved.
struct TwinClocks {
  double cores = 1, cpu_hz = 0, gpu_hz = 0, mem_hz = 0;
  double cpu_share = 1, gpu_share = 1, mem_share = 1;  ///< of the highest
  /// Of `cores`, those in other clusters than the main process's, and their clock: the same but for
  /// governors.
  double other_cores = 0, other_hz = 0, other_share = 1;
};
/// Errors: values that the board has not; they list those that it has.
Result<TwinClocks> twin_clocks(const TwinBoard& board, const PowerMode& mode);

/// Cores that logging and the system take.
double background_cores(const TwinBoard& board, const TwinClocks& clocks);
/// Seconds of one cycle's work on a core (of the main process's cluster, or of `others`), with what
/// it waits for memory.
double twin_cycle_s(const TwinBoard& board, const TwinClocks& clocks, bool others = false);

/// One pass over the operators, with a main thread that gets 1/`slow` of a core.
struct TwinPass {
  double total_s = 0;     ///< from the first dispatch to the end of the last kernel
  double dispatch_s = 0;  ///< the main thread's own work in it
  double gpu_s = 0;       ///< kernels ran
  double math_s = 0;      ///< arithmetic at the clock's peak would have taken
  double warm_s = 0;      ///< the same, by the energy that it takes
  double bytes = 0;       ///< moved to and from memory
};
TwinPass twin_pass(const TwinBoard& board, const TwinClocks& clocks, const TwinNetwork& network,
                   double batch, double slow);

struct TwinPlan {
  TwinClocks clocks;
  double batch = 1;
  int workers = 0, ahead = 0;  ///< batches that may lie ready
  bool resident = false;
  bool loads() const { return !resident && workers > 0; }  ///< by workers, beside the main process
  double read_s = 0;      ///< of a batch that is not cached, by the storage
  double prepare_s = 0;   ///< of a batch, by one worker (or inline)
  double handover_s = 0;  ///< to the main process
  double compute_s = 0;
  double compute_core_s = 0;  ///< that other cores compute beside the main process
  double expected_s = 0;      ///< end to end, in steady state
  TwinPass pass;
  double prepare_core_s = 0;  ///< of a core, for one batch
  double other_cores = 0;     ///< busy with neither: logging and system, what comes with workers
  // Power by rail: at rest, per busy core (of the main process's cluster, of others), and the
  // energy of a minibatch by GPU and memory.
  TwinRailPower rest_w{}, static_w{}, core_w{}, other_core_w{}, minibatch_j{};
  double memory_bytes = 0;  ///< that the processes hold, LibTorch in it
};

/// Power at rest, what a busy core adds, and what a minibatch's work (plan.pass) on GPU and memory
/// costs, by rail.
void add_twin_power(const TwinBoard& board, TwinPlan& plan);

/// Plan of a configuration. Errors as Twin::simulate().
Result<TwinPlan> make_twin_plan(const TwinBoard& board, const TwinNetwork& network,
                                const TwinWorkload& workload,
                                const TwinConfiguration& configuration);

/// Bytes that a workload needs of what BoardCapacity leaves: what the network holds, interpreter,
/// loader workers and their minibatches.
double twin_needed_bytes(const TwinNetwork& network, const TwinWorkload& workload,
                         const TwinConfiguration& configuration);
/// The same, with what there is for it: `most_bytes`, where the board does not leave less.
MemoryNeed twin_memory(const TwinBoard& board, const TwinNetwork& network,
                       const TwinWorkload& workload, const TwinConfiguration& configuration,
                       double most_bytes = std::numeric_limits<double>::infinity());

}  // namespace flyball
