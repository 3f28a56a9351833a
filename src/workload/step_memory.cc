#include "workload/step_memory.h"

#include <utility>

#include "workload/drawn_batch.h"

namespace flyball {

Result<MemoryModel> measure_memory(const std::string& network, const StepOptions& options,
                                   const BatchMaker& batches) {
  const auto at = [&](int64_t samples) {
    StepOptions small = options;
    small.batch_size = samples * options.accumulate;
    return step_memory(network, small, batches);
  };
  auto one = at(1);
  FLYBALL_ASSIGN(StepMemory two, at(2));
  if (one.ok()) {
    FLYBALL_ASSIGN(MemoryModel model, MemoryModel::of(*std::move(one), two));
    if (model.by_block()) return model;
  }
  FLYBALL_ASSIGN(StepMemory three, at(3));
  return MemoryModel::of(std::move(two), std::move(three));
}

BatchMaker drawn_batches() {
  return [held = std::make_shared<std::unique_ptr<DrawnBatch>>()](
             const Stepper& stepper, int64_t samples) -> Result<BatchView> {
    *held = std::make_unique<DrawnBatch>(stepper, samples);
    return (*held)->view();
  };
}

}  // namespace flyball
