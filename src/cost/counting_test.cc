#include "cost/counting.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

Operand operand(std::vector<int64_t> sizes) {
  Operand made{std::move(sizes)};
  made.bytes = 4 * made.elements();
  return made;
}

Layer exact(const Operation& operation) {
  const auto layers = count_exact({operation});
  EXPECT_EQ(layers.size(), 1u);
  return layers.empty() ? Layer{} : layers.front();
}
Layer pagoda_layer_of(const Graph& graph, size_t place = 0, double batch = 1) {
  const auto layers = count_pagoda(graph, Phase::infer, batch);
  EXPECT_GT(layers.size(), place);
  return layers.size() > place ? layers[place] : Layer{};
}

// 8 channels of 4×4 from 6 in 2 groups of 3, kernel 3: 27 taps.
const Operation convolution{.op = "conv2d",
                            .inputs = {operand({1, 6, 4, 4}), operand({8, 3, 3, 3})},
                            .outputs = {operand({1, 8, 4, 4})}};

TEST(Counting, AConvolutionIsItsTaps) {
  EXPECT_EQ(exact(convolution).flop, 2 * 128 * 27);
  EXPECT_EQ(exact(convolution).bytes, 4 * (96 + 216 + 128));
  EXPECT_EQ(pagoda_layer_of({convolution}).flop, 2 * 128 * 27 + 128);
  EXPECT_EQ(pagoda_layer_of({convolution}, 0, 3).bytes, 4 * (216 + 3 * (96 + 128)));
  EXPECT_EQ(multiply_accumulates({convolution}), 128 * 27);
  Operation depthwise = convolution;
  depthwise.inputs = {operand({1, 8, 4, 4}), operand({8, 1, 3, 3})};
  EXPECT_EQ(exact(depthwise).kind, LayerKind::depthwise);
  EXPECT_EQ(exact(depthwise).flop, 2 * 128 * 9);
}

TEST(Counting, ItsBackwardPassIsOneProductForEachGradient) {
  Operation backward{
      .op = "convolution_backward",
      .inputs = {operand({1, 8, 4, 4}), operand({1, 6, 4, 4}), operand({8, 3, 3, 3})},
      .outputs = {operand({1, 6, 4, 4}), operand({8, 3, 3, 3}), {.present = false}}};
  EXPECT_EQ(exact(backward).flop, 2 * 2 * 128 * 27);
  EXPECT_EQ(exact(backward).kernels, 2);
  backward.outputs[0].present = false;  // of the first layer nobody asks for it
  EXPECT_EQ(exact(backward).flop, 2 * 128 * 27);
}

TEST(Counting, AttentionIsBatchedInExactAndNotInPagoda) {
  const Operation scores{.op = "baddbmm",
                         .inputs = {operand({6, 1, 5}), operand({6, 5, 7}), operand({6, 7, 5})},
                         .outputs = {operand({6, 5, 5})},
                         .numbers = {{1}, {0.5}}};
  EXPECT_EQ(exact(scores).flop, 6 * (2 * 5 * 5 * 7 + 25));
  EXPECT_EQ(exact(scores).kind, LayerKind::attention);
  const double out = 6 * 25;  // scaled and masked by an operator each
  EXPECT_EQ(pagoda_layer_of({scores}).flop, 2 * out * 7 + 2 * out);
  EXPECT_EQ(pagoda_layer_of({scores}, 0, 2).bytes, 4 * (7 * 5 + 2 * (6 * 35 + out) + 2 * 6 * out));
}

TEST(Counting, AnnouncedRecurrenceIsTheFormula) {
  const Operation lstm{.op = "lstm_layer",
                       .inputs = {operand({8, 2, 256}), operand({2, 256}), operand({2, 256}),
                                  operand({1024, 256}), operand({1024, 256})},
                       .outputs = {operand({8, 2, 256})}};
  EXPECT_EQ(exact(lstm).flop, 8. * 2 * 8 * 256 * 512 + 34. * 2 * 8 * 256);
  EXPECT_EQ(pagoda_layer_of({lstm}).flop, 4243456);
  EXPECT_EQ(pagoda_layer_of({lstm}, 0, 64).flop, 4243456);
}

TEST(Counting, PagodaFoldsNormsAndPutsReluBeforeAMaximum) {
  const Operation norm{.op = "batch_norm",
                       .inputs = {operand({1, 8, 4, 4}), operand({8}), operand({8})},
                       .outputs = {operand({1, 8, 4, 4})},
                       .parameters = 16};
  const Operation pool{.op = "max_pool2d",
                       .inputs = {operand({1, 8, 4, 4})},
                       .outputs = {operand({1, 8, 2, 2})},
                       .numbers = {{3, 3}}};
  const Operation relu{
      .op = "relu", .inputs = {operand({1, 8, 2, 2})}, .outputs = {operand({1, 8, 2, 2})}};
  const auto layers = count_pagoda({convolution, norm, pool, relu}, Phase::infer, 1);
  ASSERT_EQ(layers.size(), 3u);
  EXPECT_EQ(layers[0].parameters, 16);
  EXPECT_EQ(layers[1].flop, 8 * 32);
  EXPECT_EQ(layers[2].flop, 128);
  EXPECT_EQ(count_exact({pool, relu})[1].flop, 32);
}

// One scale of 3×3 cells, sides of 2 bins, 5 classes. What ran instead is not counted again.
TEST(Counting, PagodaCountsADetectorAsItIsExported) {
  const Operation ran{
      .op = "relu", .inputs = {operand({1, 13, 3, 3})}, .outputs = {operand({1, 13, 3, 3})}};
  const Operation decode{.op = "detector_decode",
                         .inputs = {operand({1, 8, 3, 3}), operand({1, 5, 3, 3})},
                         .outputs = {operand({1, 4, 9}), operand({1, 5, 9})},
                         .numbers = {{2}},
                         .view = true};
  const Graph graph = {ran, ran, ran, decode};
  ASSERT_EQ(count_pagoda(graph, Phase::infer, 1).size(), 2u);
  const double flop = 7 * 8 + (2 * 2 + 1) * 4 + 5 * 2 + 4 * 5;
  EXPECT_EQ(pagoda_layer_of(graph, 1).flop, 9 * flop);
  // joined twice, transposed, softmax, convolution, five of x and y, middles and sizes joined,
  // sigmoid, all joined
  const double moved = 2 * 2 * 13 + 2 * 8 + 2 * 8 + (8 + 4) + 5 * 3 * 2 + 2 * 4 + 2 * 5 + 2 * 9;
  EXPECT_EQ(pagoda_layer_of(graph, 1).bytes, 4 * (9 * moved + 2));
  EXPECT_EQ(pagoda_layer_of(graph, 1, 3).bytes, 4 * (3 * 9 * moved + 2));
  EXPECT_EQ(count_exact(graph).size(), 3u);
}

TEST(Counting, WhatNoRuleKnowsCountsItsBytes) {
  const Layer unknown =
      exact({.op = "no_such_operator", .inputs = {operand({4})}, .outputs = {operand({8})}});
  EXPECT_EQ(unknown.kind, LayerKind::other);
  EXPECT_EQ(unknown.flop, 0);
  EXPECT_EQ(unknown.bytes, 48);
  EXPECT_TRUE(is_counted("conv2d"));
  EXPECT_FALSE(is_counted("conv_of_moon"));
  EXPECT_TRUE(is_free("empty"));
}

}  // namespace
}  // namespace flyball
