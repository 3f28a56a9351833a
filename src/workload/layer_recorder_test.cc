#include "workload/layer_recorder.h"

#include <gtest/gtest.h>

#include "cost/counting.h"
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

}  // namespace
}  // namespace flyball
