#include "workload/step_memory.h"

#include <algorithm>
#include <utility>

#include "workload/sample_batch.h"

namespace flyball {

Result<MemoryModel> measure_memory(const std::string& network, const StepOptions& options,
                                   const BatchMaker& batches) {
  const int64_t parts = std::min(options.accumulate, options.batch_size);
  const auto at = [&](int64_t less, int64_t more) {
    StepOptions small = options;
    small.batch_size = more * parts;
    return step_memory(network, small, {less * parts, small.batch_size}, batches);
  };
  FLYBALL_ASSIGN(const auto first, at(1, 2));
  if (first[0].ok() && first[1].ok()) {
    FLYBALL_ASSIGN(MemoryModel model, MemoryModel::of(*first[0], *first[1]));
    if (model.by_block()) return model;
  }
  FLYBALL_ASSIGN(const auto second, at(2, 3));
  for (const auto& step : second)
    if (!step.ok()) return step.error();
  return MemoryModel::of(*second[0], *second[1]);
}

BatchMaker drawn_batches() {
  return [held = SampleBatch(), step = int64_t{0}](const Stepper& stepper,
                                                   int64_t samples) mutable -> Result<BatchView> {
    FLYBALL_ASSIGN(held, make_sample_batch(stepper, samples, stepper.options().shape, step++));
    return held.view();
  };
}

}  // namespace flyball
