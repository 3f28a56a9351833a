#include "profile/characterise/twin_epochs.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

/// MobileNetV3 without workers on an AGX Xavier whose disk is slow.
EpochRun trained(int epochs, bool drop_each) {
  const auto board = *open_board("twin:xavier_agx");
  TwinEpochs wanted;
  wanted.request.workload = "mobilenet_v3";
  wanted.request.epochs = epochs;
  wanted.drop_each = drop_each;
  wanted.storage = TwinStorage{.name = "slow", .mb_per_s = 10, .latency_ms = 5, .at_once = 1};
  auto run = simulate_epochs(*board, wanted);
  EXPECT_TRUE(run.ok()) << run.error().message;
  return *std::move(run);
}

double busy_s(const EpochRecord& epoch) {
  return epoch.gpu.value().load_pct.value() / 100 * epoch.e2e_s;
}

TEST(TwinEpochs, WhatAnEpochUsesIsItsOwn) {
  const EpochRun run = trained(3, false);
  ASSERT_EQ(run.epochs.size(), 3U);
  const EpochRecord &first = run.epochs[0], &second = run.epochs[1], &third = run.epochs[2];
  ASSERT_GT(first.e2e_s, 1.3 * second.e2e_s);  // it reads from the disk
  // The GPU does as much in each of them: its load is as much less as the epoch is longer.
  EXPECT_NEAR(busy_s(first), busy_s(second), 0.02 * busy_s(second));
  EXPECT_NEAR(busy_s(third), busy_s(second), 0.02 * busy_s(second));
  EXPECT_NEAR(third.use.cpu_s, second.use.cpu_s, 0.02 * second.use.cpu_s);
  EXPECT_NEAR(third.use.cpu_pct, 100 * third.use.cpu_s / third.e2e_s, 1e-9);
}

TEST(TwinEpochs, AfterEachDropEpochsAreAlike) {
  const EpochRun run = trained(3, true);
  ASSERT_EQ(run.epochs.size(), 3U);
  for (const EpochRecord& epoch : run.epochs) {
    EXPECT_NEAR(epoch.e2e_s, run.epochs[0].e2e_s, 0.02 * run.epochs[0].e2e_s);
    EXPECT_NEAR(busy_s(epoch), busy_s(run.epochs[0]), 0.02 * busy_s(run.epochs[0]));
  }
}

TEST(TwinEpochs, AnEpochHasTheSamplesOfItsDataSet) {
  const EpochRun run = trained(1, false);
  const EpochRecord& epoch = run.epochs.front();
  EXPECT_NE(run.dataset_samples % 16, 0);
  EXPECT_EQ(epoch.minibatch_count, run.dataset_samples / 16 + 1);
  EXPECT_EQ(epoch.samples, run.dataset_samples);
  const double each = static_cast<double>(run.dataset_bytes) / static_cast<double>(epoch.samples);
  EXPECT_NEAR(static_cast<double>(epoch.bytes), static_cast<double>(run.dataset_bytes),
              0.01 * each);
  EXPECT_EQ(epoch.minibatches.size(), 1U);
}

TEST(TwinEpochs, OneThatFillsNoMinibatchIsRefusedWhereTheLastIsLeftOut) {
  const auto board = *open_board("twin:xavier_agx");
  TwinEpochs wanted;
  wanted.request.workload = "mobilenet_v3";
  wanted.request.step.batch_size = 1 << 20;
  wanted.request.drop_last = true;
  const auto run = simulate_epochs(*board, wanted);
  ASSERT_FALSE(run.ok());
  EXPECT_NE(run.error().message.find("do not fill one minibatch of 1048576"), std::string::npos)
      << run.error().message;
}

}  // namespace
}  // namespace flyball
