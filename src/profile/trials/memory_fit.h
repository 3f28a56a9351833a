// Which trials fit into memory, known before they are made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profile/trials/run_data.h"
#include "workload/step_memory.h"

namespace flyball {

/// Of one network with one kind of minibatches, on the CPU or on a GPU that shares its memory.
class MemoryFit {
 public:
  /// Runs a few small steps (step_memory.h) on minibatches like those of the data, rows of text as
  /// long as they may be. `available`: bytes that the process may newly take.
  static Result<MemoryFit> measure(const std::string& workload, const StepOptions& step,
                                   const RunData& data, uint64_t available);

  /// The same of what is kept of networks with their usual inputs (cost/networks.h), by one thread:
  /// nothing runs. Error: nothing is kept of it.
  static Result<MemoryFit> known(const std::string& workload, Phase phase, const RunData& data,
                                 uint64_t available);

  /// Bytes that a trial takes: the network's, and the loader's minibatches (Loader).
  double needed(int64_t batch_size, int64_t workers, int64_t prefetch) const;
  bool fits(int64_t batch_size, int64_t workers, int64_t prefetch) const {
    return needed(batch_size, workers, prefetch) <= static_cast<double>(available_);
  }
  MemoryNeed need(int64_t batch_size, int64_t workers, int64_t prefetch) const;

 private:
  MemoryFit(MemoryModel model, std::vector<TensorSpec> layout, uint64_t available)
      : model_(std::move(model)), layout_(std::move(layout)), available_(available) {}

  MemoryModel model_;
  std::vector<TensorSpec> layout_;
  uint64_t available_;
};

/// `why`: MemoryNeed::text_of(). `smaller`: the option by which it would fit, "" where nothing
/// does; `memory_told`: was it said how much memory there is?
Error does_not_fit(const std::string& workload, const std::string& why, const std::string& smaller,
                   bool memory_told);

}  // namespace flyball
