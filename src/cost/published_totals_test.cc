#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "cost/networks.h"

namespace flyball {
namespace {

std::optional<Cost> by_pagoda(const std::string& name, Phase phase = Phase::infer,
                              const std::string& input = "") {
  const auto one = network_layers(name, phase, 1, input, CountRules::pagoda);
  const auto two = network_layers(name, phase, 2, input, CountRules::pagoda);
  if (!one || !two) return {};
  return *cost_of(*one, *two);
}

// The published totals at batch size 1, and the intensities at 1 and at 64 (BERT 32). Our BERT has
// another head.
struct PublishedTotals {
  const char* name;
  double flop, parameters, total, tolerance, intensity, large_batch, large_intensity;
};
constexpr PublishedTotals table[] = {
    {"mobilenet_v3", 449137560, 21805088, 102976672, 0, 4.36, 64, 5.51},
    {"resnet50", 8206316544, 102011648, 336671392, 0, 24.4, 64, 34.7},
    {"yolov8n", 8839855200, 12584704, 539346304, 0, 16.4, 64, 16.8},
    {"bert_large", 79136298142, 1213726720, 2601011072, 0.01, 30.4, 32, 55.5},
};

TEST(PublishedTotals, ReproducesThePublishedTotals) {
  for (const PublishedTotals& row : table) {
    const auto cost = by_pagoda(row.name);
    ASSERT_TRUE(cost) << row.name;
    EXPECT_NEAR(cost->flop_at(1), row.flop, std::min(0.01, row.tolerance) * row.flop) << row.name;
    EXPECT_NEAR(cost->fixed_bytes, row.parameters, row.tolerance * row.parameters) << row.name;
    EXPECT_NEAR(cost->bytes_at(1), row.total, row.tolerance * row.total) << row.name;
    const double of = row.tolerance == 0 ? 0.05 : row.tolerance * row.large_intensity;
    EXPECT_NEAR(cost->flop_at(1) / cost->bytes_at(1), row.intensity, of) << row.name;
    EXPECT_NEAR(cost->flop_at(row.large_batch) / cost->bytes_at(row.large_batch),
                row.large_intensity, of)
        << row.name;
  }
}

TEST(PublishedTotals, LstmScalesWithTheBatchInItsOutputOnly) {
  const auto lstm = by_pagoda("LSTM", Phase::infer, "8");
  ASSERT_TRUE(lstm);
  EXPECT_EQ(lstm->flop_at(1), 129003520);
  EXPECT_EQ(lstm->flop_at(1), 2 * 4243456 + 120516608);
  EXPECT_EQ(lstm->flop_at(3), 2 * 4243456 + 3.0 * 120516608);
  EXPECT_EQ(lstm->bytes_at(1), 35322336);
  EXPECT_NEAR(lstm->flop_at(1) / lstm->bytes_at(1), 3.65, 0.01);
  EXPECT_NEAR(lstm->flop_at(64) / lstm->bytes_at(64), 80.5, 0.1);
}

// By hand: 85 M weights of its layers and 1,536 of its head meet each of 128 tokens, and each token
// all others twice; a softmax and the rest are one part in fifty.
TEST(PublishedTotals, BertBaseIsItsLayersAndTwoScoresOfEachToken) {
  const auto base = by_pagoda("bert-base");
  ASSERT_TRUE(base);
  const double products =
      2.0 * 128 * (12.0 * 12 * 768 * 768 + 2 * 768) + 12.0 * 2 * 2 * 128 * 128 * 768;
  EXPECT_GT(base->flop_at(1), products);
  EXPECT_LT(base->flop_at(1), 1.02 * products);
  EXPECT_EQ(base->fixed_bytes, 12 * (4.0 * 12 * 768 * 768 + 65536) + 4 * 2 * 768);
}

TEST(PublishedTotals, TrainingIsThreeForwardPasses) {
  const Cost cost = *by_pagoda("ResNet-18");
  // 1.82 G multiply-adds (the study's table of workloads).
  EXPECT_NEAR(cost.flop / 2, 1.82e9, 0.01e9);
  const Cost step = *by_pagoda("ResNet-18", Phase::train);
  EXPECT_DOUBLE_EQ(step.flop_at(16), 3 * cost.flop_at(16));
  EXPECT_DOUBLE_EQ(step.bytes_at(16), 3 * cost.bytes_at(16));
  EXPECT_NEAR(by_pagoda("vgg-11")->flop / 2, 7.63e9, 0.05e9);
  EXPECT_FALSE(by_pagoda("no_such_network"));
  EXPECT_FALSE(network_cost("no_such_network", Phase::train));
}

}  // namespace
}  // namespace flyball
