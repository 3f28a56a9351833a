#include "cost/memory.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

using enum MemoryPart;

// Weights of 100 bytes and velocity of as many; 10 bytes of activations and 6 of workspace for each
// sample, which are gone before the gradients are all there; then 40 bytes of the optimizer.
StepMemory step(double samples) {
  return {samples,
          {{100, weights, 0, 11},
           {100, optimizer, 0, 11},
           {10 * samples, activations, 1, 7},
           {6 * samples, workspace, 2, 3},
           {2 * samples, workspace, 4, 6},
           {100, gradients, 5, 10},
           {40, workspace, 8, 9}},
          3,
          7,
          10};
}

MemoryModel model() {
  return *MemoryModel::of(step(1), step(2));
}

TEST(StepMemory, TellsWhatIsAliveAtAMomentAndAtItsPeak) {
  const StepMemory one = step(1);
  EXPECT_EQ(one.at(0).total(), 200);
  EXPECT_EQ(one.at(one.forward_end)[activations], 10);
  EXPECT_EQ(one.at(one.forward_end)[workspace], 0);
  EXPECT_EQ(one.peak(0, one.forward_end).total(), 216);
  EXPECT_EQ(one.peak(one.forward_end, one.backward_end).total(), 312);
  EXPECT_EQ(one.peak().total(), 340);  // in the optimizer's step
  EXPECT_EQ(one.peak()[workspace], 40);
  EXPECT_EQ(one.at(one.end).total(), 200);
}

// From batch size 4 on the backward pass takes more than the optimizer's step: no line through the
// peaks at 1 and 2 says so.
TEST(MemoryModel, FindsThePeakThatMovesWithTheBatchSize) {
  const MemoryModel memory = model();
  EXPECT_TRUE(memory.by_block());
  EXPECT_EQ(memory.peak(1).total(), 340);
  EXPECT_EQ(memory.peak(3).total(), 340);
  EXPECT_EQ(memory.peak(16).total(), step(16).peak().total());
  EXPECT_EQ(memory.peak(16).total(), 300 + 12 * 16);
  EXPECT_EQ(memory.peak(16)[activations], 160);
}

TEST(MemoryModel, FindsTheLargestBatchThatFits) {
  EXPECT_EQ(model().largest_batch(300 + 12 * 16), 16);
  EXPECT_EQ(model().largest_batch(300 + 12 * 17 - 1), 16);
  EXPECT_EQ(model().largest_batch(300 + 15 * 16, 3), 16);
  EXPECT_EQ(model().largest_batch(339), 0);
  EXPECT_EQ(model().largest_batch(340), 3);
}

// A block of 2 MB goes where one of 3 MB lay; the next one of 3 MB has to go behind it.
TEST(MemoryModel, KeepsTheGapsThatBlocksOfOtherSizesLeave) {
  const auto gaps = [](double samples) {
    return StepMemory{samples,
                      {{1e6, weights, 0, 10},
                       {3e6 * samples, workspace, 1, 3},
                       {1e6, activations, 2, 10},
                       {2e6 * samples, activations, 4, 9},
                       {3e6 * samples, workspace, 5, 6}},
                      5,
                      8,
                      9};
  };
  const auto memory = MemoryModel::of(gaps(1), gaps(2));
  ASSERT_TRUE(memory.ok());
  EXPECT_EQ(memory->peak(4).total(), 2e6 + 5e6 * 4);
  EXPECT_NEAR(memory->kept(4), 2e6 + 6e6 * 4, 500);  // places are multiples of 64
  EXPECT_EQ(memory->largest_batch(2e6 + 6e6 * 4 + 500), 4);
  EXPECT_EQ(memory->largest_batch(2e6 + 6e6 * 4 - 500), 3);
}

TEST(MemoryModel, TakesALineOfEachPartWhereStepsAreOfAnotherKind) {
  StepMemory other = step(2);
  other.blocks.push_back({8, workspace, 9, 10});
  const auto memory = MemoryModel::of(other, step(1));
  ASSERT_TRUE(memory.ok());
  EXPECT_FALSE(memory->by_block());
  EXPECT_EQ(memory->smaller().batch_size, 1);
  EXPECT_EQ(memory->peak(2).total(), other.peak().total());
}

TEST(MemoryModel, RefusesOneBatchSize) {
  EXPECT_FALSE(MemoryModel::of(step(2), step(2)).ok());
  EXPECT_FALSE(MemoryModel::of(step(0), step(2)).ok());
}

}  // namespace
}  // namespace flyball
