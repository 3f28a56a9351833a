#include "graph/onnx_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cost/counting.h"
#include "graph/onnx_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;

LayerTotals totals(std::vector<Layer> layers) {
  return LayerTable{.workload = {}, .layers = std::move(layers)}.totals();
}

std::string error_of(const onnx::ModelProto& model, const OnnxOptions& options = {}) {
  const auto network = onnx_network(model.SerializeAsString(), options);
  return network ? "none" : network.error().message;
}

// 3 channels of 8×8 to 4 of 8×8 (27 taps), ReLU, 256 numbers to 10.
TEST(OnnxNetwork, ASmallOneIsCountedAsByHand) {
  const auto network = onnx_network(small_model().SerializeAsString(), {.batch_size = 2});
  ASSERT_TRUE(network.ok()) << network.error().message;
  EXPECT_EQ(network->batch_size, 2);
  const auto layers = count_exact(network->graph);
  ASSERT_EQ(layers.size(), 3u);  // flattening is a view
  EXPECT_EQ(layers[0].op, "conv2d");
  EXPECT_EQ(layers[0].name, "first");
  EXPECT_EQ(layers[0].shape, (std::vector<int64_t>{2, 4, 8, 8}));
  EXPECT_EQ(layers[0].parameters, 4 * 27 + 4);
  EXPECT_EQ(layers[0].flop, 2 * 512 * 27 + 512);
  EXPECT_EQ(layers[0].bytes, 4 * (384 + 108 + 4 + 512));
  EXPECT_EQ(layers[1].op, "relu");
  EXPECT_EQ(layers[1].flop, 512);
  EXPECT_EQ(layers[1].bytes, 4 * 1024);
  EXPECT_EQ(layers[2].op, "linear");
  EXPECT_EQ(layers[2].parameters, 2560 + 10);
  EXPECT_EQ(layers[2].flop, 2 * 2 * 256 * 10 + 20);
  EXPECT_EQ(layers[2].bytes, 4 * (512 + 2560 + 10 + 20));
  EXPECT_EQ(multiply_accumulates(network->graph), 512 * 27 + 2 * 2560);
}

TEST(OnnxNetwork, PagodasRulesCountItAsByHand) {
  const auto network = onnx_network(small_model().SerializeAsString(), {.batch_size = 1});
  ASSERT_TRUE(network.ok()) << network.error().message;
  const LayerTotals one = totals(count_pagoda(network->graph, Phase::infer, 1));
  EXPECT_EQ(one.parameters, 112 + 2570);
  EXPECT_EQ(one.flop, (2 * 256 * 27 + 256) + 256 + 2 * 2560);
  const double samples = (192 + 256) + 2 * 256 + 2 * 256 + (256 + 10), weights = 108 + 2560;
  EXPECT_EQ(one.bytes, 4 * (weights + samples));
  const LayerTotals trained = totals(count_pagoda(network->graph, Phase::train, 5));
  EXPECT_EQ(trained.flop, 3 * 5 * one.flop);
  EXPECT_EQ(trained.bytes, 3 * 4 * (weights + 5 * samples));
}

TEST(OnnxNetwork, WhatTheFileLeavesOpenIsAskedFor) {
  onnx::ModelProto model = small_model();
  EXPECT_EQ(onnx_network(model.SerializeAsString(), {}).value().batch_size, 16);
  auto& shape = *model.mutable_graph()
                     ->mutable_input(0)
                     ->mutable_type()
                     ->mutable_tensor_type()
                     ->mutable_shape();
  shape.mutable_dim(2)->set_dim_param("height");
  EXPECT_THAT(error_of(model), HasSubstr("leaves dimension 2 of its input 'x' open"));
  EXPECT_EQ(error_of(model, {.samples = {{3, 8, 8}}}), "none");
  EXPECT_THAT(error_of(model, {.samples = {{3, 8, 9}}}), HasSubstr("with a size of 8, not of 9"));
  EXPECT_THAT(error_of(model, {.samples = {{3, 8}}}), HasSubstr("has 3 dimensions"));
  EXPECT_THAT(error_of(model, {.samples = {{3}, {3}}}), HasSubstr("takes 1 inputs"));
  shape.mutable_dim(2)->set_dim_value(8);
  shape.mutable_dim(0)->set_dim_value(4);
  EXPECT_EQ(onnx_network(model.SerializeAsString(), {}).value().batch_size, 4);
  EXPECT_THAT(error_of(model, {.batch_size = 2}), HasSubstr("minibatches of 4, not of 2"));
  EXPECT_THAT(error_of(model, {.batch_size = 0}), HasSubstr("a batch size of 0"));
}

// Attention: 6 heads, scores of 5×7 by 7×5.
TEST(OnnxNetwork, ProductsOfTwoComputedOperandsAreBatched) {
  onnx::ModelProto model = empty_model();
  add_input(model, "q", {0, 6, 5, 7});
  add_input(model, "k", {0, 6, 7, 5});
  add_node(model, "MatMul", {"q", "k"}, "scores");
  add_output(model, "scores");
  const auto network = onnx_network(model.SerializeAsString(), {.batch_size = 3});
  ASSERT_TRUE(network.ok()) << network.error().message;
  const auto layers = count_exact(network->graph);
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(layers[0].kind, LayerKind::attention);
  EXPECT_EQ(layers[0].flop, 3. * 6 * 2 * 5 * 5 * 7);
}

TEST(OnnxNetwork, WhatIsWorkedOutOfShapesIsNoOperatorOfTheMinibatch) {
  onnx::ModelProto model = small_model();
  add_node(model, "Shape", {"x"}, "sizes");
  add_node(model, "Cast", {"sizes"}, "as_float");
  auto& to = *model.mutable_graph()->mutable_node(5)->add_attribute();
  to.set_name("to");
  to.set_type(onnx::AttributeProto::INT);
  to.set_i(onnx::TensorProto::FLOAT);
  add_node(model, "NoSuchOperator", {"x"}, "z");
  EXPECT_THAT(error_of(model), HasSubstr("ONNX's library refuses it: No Op registered"));
  model.mutable_graph()->mutable_node()->RemoveLast();
  const auto network = onnx_network(model.SerializeAsString(), {});
  ASSERT_TRUE(network.ok()) << network.error().message;
  EXPECT_EQ(count_exact(network->graph).size(), 3u);
}

// A number from four, as in scripts; the nearest one is a copy.
TEST(OnnxNetwork, ResizingIsCountedByItsMode) {
  for (const std::string mode : {"nearest", "linear"}) {
    onnx::ModelProto model = empty_model();
    add_input(model, "x", {1, 2, 4, 4});
    auto& scales = *model.mutable_graph()->add_initializer();
    scales.set_name("scales");
    scales.set_data_type(onnx::TensorProto::FLOAT);
    scales.add_dims(4);
    for (const float scale : {1.F, 1.F, 2.F, 2.F}) scales.add_float_data(scale);
    auto& resize = add_node(model, "Resize", {"x", "", "scales"}, "y");
    auto& attribute = *resize.add_attribute();
    attribute.set_name("mode");
    attribute.set_type(onnx::AttributeProto::STRING);
    attribute.set_s(mode);
    add_output(model, "y");
    const auto network = onnx_network(model.SerializeAsString(), {});
    ASSERT_TRUE(network.ok()) << network.error().message;
    const auto layers = count_exact(network->graph);
    ASSERT_EQ(layers.size(), 1u);
    EXPECT_EQ(layers[0].op, mode == "linear" ? "upsample_bilinear2d" : "upsample_nearest2d");
    EXPECT_EQ(layers[0].flop, mode == "linear" ? 8 * 2 * 8 * 8 : 0);
  }
}

TEST(OnnxNetwork, ASumAddsElementByElement) {
  onnx::ModelProto model = empty_model();
  add_input(model, "x", {1, 3, 8, 8});
  add_input(model, "y", {1, 3, 8, 8});
  add_node(model, "Sum", {"x", "y"}, "z");
  add_output(model, "z");
  const auto network = onnx_network(model.SerializeAsString(), {});
  ASSERT_TRUE(network.ok()) << network.error().message;
  const auto layers = count_exact(network->graph);
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(layers[0].op, "add");
  EXPECT_EQ(layers[0].flop, 3 * 8 * 8);
  EXPECT_EQ(layers[0].bytes, 4 * 3 * 3 * 8 * 8);
}

TEST(OnnxNetwork, BrokenFilesAreRefused) {
  const std::string whole = small_model().SerializeAsString();
  for (size_t length = 0; length < whole.size(); length += 10)
    EXPECT_FALSE(onnx_network(whole.substr(0, length), {}).ok()) << length;
  EXPECT_THAT(onnx_network("PK\3\4 no ONNX at all", {}).error().message, HasSubstr("no ONNX file"));
  EXPECT_FALSE(onnx_network("", {}).ok());
  // Any byte changed: refused or counted, and never a crash.
  size_t refused = 0, counted = 0;
  for (size_t i = 0; i < whole.size(); i += i < 400 ? 1 : 97) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 0xff);
    const auto network = onnx_network(changed, {});
    ++(network.ok() ? counted : refused);
    if (network.ok()) {
      EXPECT_TRUE(std::isfinite(totals(count_exact(network->graph)).flop)) << i;
    } else {
      EXPECT_NE(network.error().message, "") << i;
    }
  }
  EXPECT_GT(refused, 20u);
  EXPECT_GT(counted, 20u);
}

TEST(OnnxNetwork, LimitsAreKept) {
  onnx::ModelProto model = small_model();
  auto& weights = *model.mutable_graph()->mutable_initializer(0);
  weights.set_dims(0, int64_t{1} << 60);
  EXPECT_THAT(error_of(model), HasSubstr("'conv.weight' has a size of"));
  weights.set_dims(0, 5);
  EXPECT_THAT(error_of(model), HasSubstr("does not hold its 135 numbers"));
  for (int i = 0; i < 20; ++i) weights.add_dims(1);
  EXPECT_THAT(error_of(model), HasSubstr("has 24 dimensions"));
  model = small_model();
  model.mutable_graph()->mutable_initializer(0)->set_data_location(onnx::TensorProto::EXTERNAL);
  EXPECT_THAT(error_of(model), HasSubstr("'conv.weight' lie outside of the file"));
  model = small_model();
  auto& strides = *model.mutable_graph()->mutable_node(0)->add_attribute();
  strides.set_name("strides");
  strides.set_type(onnx::AttributeProto::INTS);
  strides.add_ints(0);
  strides.add_ints(0);
  EXPECT_THAT(error_of(model), HasSubstr("'strides' of 'first' is out of range"));
  model = small_model();
  model.mutable_graph()->mutable_node(1)->add_attribute()->mutable_g();
  EXPECT_THAT(error_of(model), HasSubstr("chooses what runs when it runs"));
  model = small_model();
  model.add_functions();
  EXPECT_THAT(error_of(model), HasSubstr("operators of its own"));
}

}  // namespace
}  // namespace flyball
