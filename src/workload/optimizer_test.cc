#include "workload/optimizer.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

namespace flyball {
namespace {

struct RecordedStep {
  const char* name;
  Optimizer optimizer;
  std::optional<double> decay;
  std::array<float, 4> after;
};

void PrintTo(const RecordedStep& recorded, std::ostream* out) {
  *out << recorded.name;
}

class OptimizerSteps : public testing::TestWithParam<RecordedStep> {};

// Five steps of PyTorch 1.13 (torch.optim.SGD, Adam, AdamW; lr 0.1) from (1, -2, 0.5, 3) with the
// gradients (0.1 t, -0.2, 0.3 / t, 0).
TEST_P(OptimizerSteps, AreThoseOfPyTorch) {
  const RecordedStep& recorded = GetParam();
  StepOptions options;
  options.optimizer = recorded.optimizer;
  options.learning_rate = 0.1;
  options.weight_decay = recorded.decay;
  torch::Tensor parameter = torch::tensor({1.0f, -2.0f, 0.5f, 3.0f}).set_requires_grad(true);
  FusedOptimizer optimizer({parameter}, options);
  for (int t = 1; t <= 5; ++t) {
    const auto step = static_cast<float>(t);
    parameter.mutable_grad() = torch::tensor({0.1f * step, -0.2f, 0.3f / step, 0.0f});
    optimizer.step();
    EXPECT_FALSE(parameter.grad().defined());
  }
  for (int64_t i = 0; i < 4; ++i)
    EXPECT_NEAR(parameter[i].item<float>(), recorded.after[static_cast<size_t>(i)], 2e-6) << i;
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, OptimizerSteps,
    testing::Values(
        RecordedStep{
            "sgd", Optimizer::sgd, 0.05, {0.6205439f, -1.6103088f, 0.2492023f, 2.8051541f}},
        RecordedStep{
            "adam", Optimizer::adam, 0.05, {0.5072846f, -1.5008022f, 0.0558171f, 2.5017796f}},
        RecordedStep{
            "adamw", Optimizer::adamw, {}, {0.5109032f, -1.4910189f, 0.0582944f, 2.9850302f}}));

TEST(WeightDecay, IsThatOfTheOptimizerUnlessAsked) {
  StepOptions options;
  EXPECT_EQ(weight_decay(options), 0);
  options.optimizer = Optimizer::adamw;
  EXPECT_EQ(weight_decay(options), 0.01);
  options.weight_decay = 0.2;
  EXPECT_EQ(weight_decay(options), 0.2);
}

}  // namespace
}  // namespace flyball
