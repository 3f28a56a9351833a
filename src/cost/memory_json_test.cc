#include "cost/memory_json.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

StepMemory step(double batch, double sample_bytes, size_t end) {
  StepMemory step;
  step.batch_size = batch;
  step.blocks = {{4000, MemoryPart::weights, 0, end + 1},
                 {batch * sample_bytes, MemoryPart::activations, 1, 3},
                 {batch * 2 * sample_bytes, MemoryPart::workspace, 2, 4}};
  step.forward_end = 2;
  step.backward_end = 4;
  step.end = end;
  return step;
}

void expect_kept(const MemoryModel& model) {
  const MemoryModel again = read_memory_model(SortedJson::parse(memory_model_json(model).dump()));
  EXPECT_EQ(again.by_block(), model.by_block());
  EXPECT_EQ(again.smaller().forward_end, model.smaller().forward_end);
  EXPECT_EQ(again.larger().backward_end, model.larger().backward_end);
  for (const double batch : {1.0, 2.0, 16.0, 100.0}) {
    EXPECT_EQ(again.kept(batch), model.kept(batch)) << batch;
    for (const MemoryPart part : memory_parts)
      EXPECT_EQ(again.peak(batch)[part], model.peak(batch)[part]) << batch;
  }
}

TEST(MemoryJson, KeepsWhatTheModelTells) {
  expect_kept(*MemoryModel::of(step(1, 100e3, 5), step(2, 100e3, 5)));
}

TEST(MemoryJson, KeepsStepsThatAllocateOtherwise) {
  const MemoryModel model = *MemoryModel::of(step(2, 100e3, 5), step(3, 100e3, 6));
  ASSERT_FALSE(model.by_block());
  expect_kept(model);
}

}  // namespace
}  // namespace flyball
