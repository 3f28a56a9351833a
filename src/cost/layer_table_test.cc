#include "cost/layer_table.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

// A linear layer 3 → 2 in fp32 and its ReLU.
LayerTable small(double batch) {
  const auto b = static_cast<int64_t>(batch);
  LayerTable table{"small", Phase::infer, batch, CountRules::exact, {}};
  table.layers.push_back({"fc",
                          "linear",
                          LayerKind::matrix,
                          {b, 2},
                          8,
                          batch * 14,
                          4 * (8 + batch * 5),
                          1,
                          batch * 8});
  table.layers.push_back(
      {"act", "relu", LayerKind::elementwise, {b, 2}, 0, batch * 2, 4 * batch * 4, 1, batch * 8});
  return table;
}

TEST(LayerTable, AnotherBatchSizeLiesOnTheLineThroughTwo) {
  const auto eight = at_batch(small(1), small(2), 8);
  ASSERT_TRUE(eight.ok());
  const LayerTable expected = small(8);
  ASSERT_EQ(eight->layers.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(eight->layers[i].shape, expected.layers[i].shape);
    EXPECT_DOUBLE_EQ(eight->layers[i].flop, expected.layers[i].flop);
    EXPECT_DOUBLE_EQ(eight->layers[i].bytes, expected.layers[i].bytes);
    EXPECT_EQ(eight->layers[i].kernels, 1);
    EXPECT_EQ(eight->layers[i].parameters, expected.layers[i].parameters);
  }
  EXPECT_EQ(eight->batch_size, 8);
  EXPECT_DOUBLE_EQ(eight->totals().intensity(), expected.totals().intensity());
}

TEST(LayerTable, CostIsWhatAMinibatchTakesAtAnyBatchSize) {
  const auto cost = cost_of(small(1), small(2));
  ASSERT_TRUE(cost.ok());
  for (const double batch : {1., 2., 5., 64.}) {
    EXPECT_DOUBLE_EQ(cost->flop_at(batch), small(batch).totals().flop);
    EXPECT_DOUBLE_EQ(cost->bytes_at(batch), small(batch).totals().bytes);
    EXPECT_DOUBLE_EQ(cost->kernels_at(batch), small(batch).totals().kernels);
    double by_kind = 0;
    for (const Layer& layer : small(batch).layers)
      if (layer.kind == LayerKind::convolution || layer.kind == LayerKind::matrix)
        by_kind += layer.flop;
    EXPECT_DOUBLE_EQ(cost->dense_flop_at(batch), by_kind);
    EXPECT_EQ(cost->depthwise_flop_at(batch), 0);
  }
}

TEST(LayerTable, TablesThatAreNotAlikeAreRefused) {
  EXPECT_FALSE(at_batch(small(1), small(1), 4).ok());
  LayerTable training = small(2);
  training.phase = Phase::train;
  EXPECT_FALSE(at_batch(small(1), training, 4).ok());
  LayerTable longer = small(2);
  longer.layers.push_back(longer.layers.back());
  EXPECT_FALSE(cost_of(small(1), longer).ok());
  LayerTable renamed = small(2);
  renamed.layers[0].op = "conv2d";
  EXPECT_FALSE(cost_of(small(1), renamed).ok());
}

TEST(LayerTable, NamesReadBackAndOthersAreNamed) {
  for (int kind = 0; kind <= static_cast<int>(LayerKind::other); ++kind) {
    const auto read = parse_layer_kind(layer_kind_name(static_cast<LayerKind>(kind)));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(static_cast<int>(*read), kind);
  }
  EXPECT_EQ(*parse_count_rules("pagoda"), CountRules::pagoda);
  const auto wrong = parse_count_rules("fused");
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().hint.find("pagoda"), std::string::npos);
}

}  // namespace
}  // namespace flyball
