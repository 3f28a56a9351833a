// What the steps of a network take of a device's memory: measured through LibTorch's allocator on
// two small minibatches (cost/memory.h extrapolates). Host memory of minibatches is the loader's.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cost/memory.h"
#include "workload/stepper.h"

namespace flyball {

/// Gives a minibatch of so many samples, valid until the next one.
using BatchMaker = std::function<Result<BatchView>(const Stepper& stepper, int64_t samples)>;

/// Makes the network for minibatches of `options.batch_size`, and runs two steps for each of these
/// sizes, none larger; tells what the second one holds, block by block, or how a step failed.
/// Errors: those of make_stepper().
Result<std::vector<Result<StepMemory>>> step_memory(const std::string& network,
                                                    const StepOptions& options,
                                                    const std::vector<int64_t>& sizes,
                                                    const BatchMaker& batches);

/// From minibatches of 1 and 2 samples (for each part of a minibatch: StepOptions::accumulate),
/// whatever `options.batch_size` says. Of 2 and 3 where 1 is a special case: operators that choose
/// another way, or a normalisation that needs two.
Result<MemoryModel> measure_memory(const std::string& network, const StepOptions& options,
                                   const BatchMaker& batches);

/// Minibatches as sample_batch.h draws them, rows of text in their full length; each goes on where
/// the one before it ended.
BatchMaker drawn_batches();

}  // namespace flyball
