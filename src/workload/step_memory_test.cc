#include "workload/step_memory.h"

#include <gtest/gtest.h>

#include "workload/step_memory_testing.h"

namespace flyball {
namespace {

using enum MemoryPart;

double parameter_bytes(const std::string& network, const StepOptions& options) {
  return 4 * static_cast<double>((*make_stepper(network, options))->parameter_count());
}

// The peak of a step as somebody else counts it.
double counted_peak(const std::string& network, StepOptions options, int64_t samples) {
  options.batch_size = samples;
  CountedMemory counted;
  const double before = counted.live();
  const auto stepper = make_stepper(network, options);
  EXPECT_TRUE(stepper.ok());
  BatchMaker draw = drawn_batches();
  for (int step = 0; step < 2; ++step) {
    const BatchView batch = *draw(**stepper, samples);
    counted.forget_peak();
    const auto result = (*stepper)->step(batch);
    EXPECT_TRUE(result.ok()) << result.error().message;
  }
  return counted.peak() - before;
}

StepOptions small_pictures(Phase phase) {
  StepOptions options;
  options.phase = phase;
  options.threads = 1;
  options.shape = {3, 64, 64};
  options.classes = 10;
  return options;
}

TEST(StepMemory, OfATrainingHasEachPart) {
  StepOptions options;
  options.threads = 1;
  const double weights_bytes = parameter_bytes("lenet5", options);
  for (const Optimizer optimizer : {Optimizer::sgd, Optimizer::adam}) {
    options.optimizer = optimizer;
    options.batch_size = 4;
    const auto steps = step_memory("lenet5", options, {4}, drawn_batches());
    ASSERT_TRUE(steps.ok()) << steps.error().message;
    const Result<StepMemory>& step = steps->front();
    ASSERT_TRUE(step.ok()) << step.error().message;
    const MemoryUse before = step->at(0), kept = step->at(step->forward_end),
                    grown = step->at(step->backward_end);
    EXPECT_EQ(before[weights], weights_bytes);
    EXPECT_EQ(before[MemoryPart::optimizer], (optimizer == Optimizer::sgd ? 1 : 2) * weights_bytes);
    EXPECT_EQ(before[gradients], 0);
    EXPECT_EQ(kept[gradients], 0);
    EXPECT_GT(kept[activations], 4 * 4 * 6 * 14 * 14);  // at least what the first pooling gives
    EXPECT_EQ(grown[gradients], weights_bytes);
    EXPECT_EQ(step->at(step->end).total(), before.total());
    EXPECT_GT(step->peak().total(), grown.total());
  }
}

TEST(StepMemory, OfInferenceHasNoGradients) {
  const auto steps = step_memory("resnet18", small_pictures(Phase::infer), {2}, drawn_batches());
  ASSERT_TRUE(steps.ok()) << steps.error().message;
  const Result<StepMemory>& step = steps->front();
  ASSERT_TRUE(step.ok()) << step.error().message;
  EXPECT_EQ(step->backward_end, 0u);
  const MemoryUse peak = step->peak();
  EXPECT_EQ(peak[gradients], 0);
  EXPECT_EQ(peak[MemoryPart::optimizer], 0);
  EXPECT_GT(peak[weights], 4 * 11e6);
}

TEST(StepMemory, ExtrapolatedFromOneAndTwoIsWhatTheAllocatorGivesAtEightAndSixteen) {
  for (const Phase phase : {Phase::train, Phase::infer})
    for (const char* network : {"resnet18", "mobilenet_v3"}) {
      const StepOptions options = small_pictures(phase);
      const auto model = measure_memory(network, options, drawn_batches());
      ASSERT_TRUE(model.ok()) << model.error().message;
      EXPECT_TRUE(model->by_block()) << network;
      for (const int64_t samples : {8, 16}) {
        const double counted = counted_peak(network, options, samples);
        EXPECT_NEAR(model->peak(static_cast<double>(samples)).total() / counted, 1, 0.05)
            << network << ' ' << phase_name(phase) << " at " << samples;
      }
    }
}

// The state that a window of text begins with is that in which the one before it ended: no other
// one is kept beside it, and both sizes allocate alike.
TEST(StepMemory, OfStatesThatAreCarriedOnIsToldByBlock) {
  StepOptions options;
  options.threads = 1;
  options.classes = 2000;
  const auto model = measure_memory("lstm", options, drawn_batches());
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_TRUE(model->by_block());
  EXPECT_NEAR(model->peak(64).total() / counted_peak("lstm", options, 64), 1, 0.05);
}

TEST(StepMemory, OfAMinibatchInPartsIsThatOfAPart) {
  StepOptions options = small_pictures(Phase::train);
  const auto whole = measure_memory("resnet18", options, drawn_batches());
  options.accumulate = 4;
  const auto parts = measure_memory("resnet18", options, drawn_batches());
  ASSERT_TRUE(whole.ok() && parts.ok());
  const double counted = counted_peak("resnet18", options, 64);  // in four parts, too
  EXPECT_NEAR(parts->peak(64).total() / counted, 1, 0.05);
  EXPECT_LT(parts->peak(64)[activations], 0.3 * whole->peak(64)[activations]);
}

TEST(StepMemory, SaysWhatIsWrong) {
  StepOptions options;
  options.device = "cuda:77";
  EXPECT_FALSE(step_memory("lenet5", options, {1}, drawn_batches()).ok());
  EXPECT_FALSE(measure_memory("no such network", {}, drawn_batches()).ok());
}

}  // namespace
}  // namespace flyball
