#include "workload/layer_recorder.h"

#include <gtest/gtest.h>

#include "cost/counting.h"
#include "cost/networks.h"
#include "workload/trace.h"
#include "workload/workload.h"

namespace flyball {
namespace {

StepOptions options(Phase phase, int64_t batch, const TensorShape& shape = {}) {
  StepOptions step;
  step.phase = phase;
  step.batch_size = batch;
  step.shape = shape;
  return step;
}

LayerTable table(const std::string& network, const StepOptions& step,
                 CountRules rules = CountRules::exact) {
  const auto made = describe_step(network, step, rules);
  EXPECT_TRUE(made.ok()) << made.error().message;
  return made ? *made : LayerTable{};
}

const Layer* find(const LayerTable& layers, const std::string& name, const std::string& op) {
  for (const Layer& layer : layers.layers)
    if (layer.name == name && layer.op == op) return &layer;
  return nullptr;
}

// Everything of LeNet-5 by hand: 28² padded to 32².
TEST(LayerRecorder, LeNetIsItsLayersByHand) {
  const LayerTable lenet = table("lenet5", options(Phase::infer, 2));
  const LayerTotals totals = lenet.totals();
  EXPECT_EQ(totals.parameters, 61706);
  const auto graph = trace_step("lenet5", options(Phase::infer, 2));
  ASSERT_TRUE(graph.ok());
  const double by_hand = 28. * 28 * 6 * 25 + 10. * 10 * 16 * 150 + 400 * 120 + 120 * 84 + 84 * 10;
  EXPECT_EQ(multiply_accumulates(*graph), 2 * by_hand);
}

// The backward pass is seen, not taken as twice the forward one.
TEST(LayerRecorder, ATrainingStepHasItsBackwardPassAndItsOptimizer) {
  const LayerTable lenet = table("lenet5", options(Phase::train, 2));
  EXPECT_EQ(lenet.totals().parameters, 61706);
  const Layer* const forward = find(lenet, "conv2", "conv2d");
  const Layer* const backward = find(lenet, "conv2", "convolution_backward");
  ASSERT_TRUE(forward && backward);
  const double products = 2. * 2 * 10 * 10 * 16 * 150;
  EXPECT_EQ(forward->flop, products + 2 * 1600);
  EXPECT_EQ(backward->flop, 2 * products + 2 * 1600);
  // The picture needs no gradient.
  const Layer* const first = find(lenet, "conv1", "convolution_backward");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->flop, 2. * 2 * 28 * 28 * 6 * 25 + 2 * 28 * 28 * 6);
  const Layer& last = lenet.layers.back();
  EXPECT_EQ(last.op, "sgd");
  EXPECT_EQ(last.flop, 4 * 61706);
  EXPECT_EQ(last.bytes, 5 * 4 * 61706);
  EXPECT_TRUE(find(lenet, "conv1", "max_pool2d") && find(lenet, "conv1", "max_pool2d_backward"));
  // What a convolution gives is kept where the pool's positions alone do not do: 1 byte each.
  EXPECT_GT(lenet.totals().activation_bytes, 0);
}

// The boxes of made up samples are of sizes that each scale finds.
TEST(LayerRecorder, ADetectorsStepGoesBackThroughAllScales) {
  const LayerTable yolo = table("yolo_v8n", options(Phase::train, 1, {3, 640, 640}));
  for (const char* branch : {"cv2.0.0.conv", "cv2.1.0.conv", "cv2.2.0.conv", "cv3.2.0.conv"})
    EXPECT_TRUE(find(yolo, branch, "convolution_backward")) << branch;
}

// What is committed in networks/ is what a step shows.
TEST(LayerRecorder, CommittedTablesAreMadeByAStep) {
  const std::pair<const char*, TensorShape> cases[] = {{"lenet5", {1, 28, 28}}, {"lstm", {35}}};
  for (const auto& [name, shape] : cases)
    for (const Phase phase : {Phase::infer, Phase::train}) {
      const LayerTable now = table(name, options(phase, 3, shape));
      const auto then = network_layers(name, phase, 3);
      ASSERT_TRUE(then.ok());
      ASSERT_EQ(now.layers.size(), then->layers.size()) << name;
      for (size_t i = 0; i < now.layers.size(); ++i) {
        const Layer &a = now.layers[i], &b = then->layers[i];
        EXPECT_EQ(a.op, b.op);
        EXPECT_EQ(a.name, b.name);
        EXPECT_EQ(a.shape, b.shape);
        EXPECT_EQ(a.flop, b.flop) << a.name << " " << a.op;
        EXPECT_EQ(a.bytes, b.bytes) << a.name << " " << a.op;
        EXPECT_EQ(a.activation_bytes, b.activation_bytes) << a.name << " " << a.op;
      }
    }
}

}  // namespace
}  // namespace flyball
