#include "baselines/nn/mlp.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>
#include <torch/types.h>

#include <cmath>

#include "base/random.h"
#include "baselines/nn/mlp_kernel.h"

namespace flyball {
namespace {

const MlpKernel& kernel() {
  return *flyball_mlp_kernel();
}

MlpRows surface(int rows, uint64_t seed) {
  MlpRows result;
  Random random(seed);
  for (int i = 0; i < rows; ++i) {
    const double a = random.uniform(-1, 1), b = random.uniform(-1, 1);
    result.x.push_back(static_cast<float>(a));
    result.x.push_back(static_cast<float>(b));
    result.y.push_back(static_cast<float>(3 + 2 * a - b + a * b));
  }
  return result;
}

MlpOptions small() {
  MlpOptions options;
  options.hidden = {16, 8};
  options.dropout = {};
  options.epochs = 20;
  return options;
}

// The same training by LibTorch's autograd and Adam, one batch an epoch.
std::vector<float> with_autograd(const Mlp& start, const MlpRows& rows, const MlpOptions& options) {
  std::vector<int64_t> sizes = {start.inputs()};
  sizes.insert(sizes.end(), options.hidden.begin(), options.hidden.end());
  sizes.push_back(1);
  std::vector<torch::Tensor> parameters;
  float* next = const_cast<float*>(start.weights().data());
  for (size_t l = 0; l + 1 < sizes.size(); ++l) {
    parameters.push_back(torch::from_blob(next, {sizes[l], sizes[l + 1]}).clone());
    next += sizes[l] * sizes[l + 1];
    parameters.push_back(torch::from_blob(next, {sizes[l + 1]}).clone());
    next += sizes[l + 1];
  }
  for (torch::Tensor& parameter : parameters) parameter.set_requires_grad(true);
  torch::optim::Adam adam(parameters, torch::optim::AdamOptions(options.learning_rate));
  const auto count = static_cast<int64_t>(rows.y.size());
  const auto x = torch::from_blob(const_cast<float*>(rows.x.data()), {count, start.inputs()});
  const auto y = torch::from_blob(const_cast<float*>(rows.y.data()), {count, 1});
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    torch::Tensor out = x;
    for (size_t l = 0; l < parameters.size(); l += 2) {
      out = at::addmm(parameters[l + 1], out, parameters[l]);
      if (l + 2 < parameters.size()) out = out.relu();
    }
    const torch::Tensor loss = options.loss == Loss::mse ? (out - y).square().mean()
                                                         : (100 * (out - y).abs() / y.abs()).mean();
    adam.zero_grad();
    loss.backward();
    adam.step();
  }
  std::vector<float> weights;
  for (const torch::Tensor& parameter : parameters) {
    const float* data = parameter.data_ptr<float>();
    weights.insert(weights.end(), data, data + parameter.numel());
  }
  return weights;
}

class MlpLoss : public testing::TestWithParam<Loss> {};

TEST_P(MlpLoss, AgreesWithAutograd) {
  MlpOptions options = small();
  options.loss = GetParam();
  const MlpRows rows = surface(24, 5);
  options.batch = 24;
  Mlp mlp(kernel(), 2, options);
  const std::vector<float> wanted = with_autograd(mlp, rows, options);
  mlp.train(rows, {}, options);
  ASSERT_EQ(mlp.weights().size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(mlp.weights()[i], wanted[i], 2e-4) << i;
}

INSTANTIATE_TEST_SUITE_P(Losses, MlpLoss, testing::Values(Loss::mse, Loss::mape));

TEST(Mlp, LearnsASurface) {
  MlpOptions options;
  options.epochs = 60;
  MlpRows rows = surface(60, 1);
  rows.repeats = 20;
  const MlpRows unseen = surface(50, 2);
  Mlp mlp(kernel(), 2, options);
  EXPECT_EQ(mlp.weights().size(), 2u * 256 + 256 + 256 * 128 + 128 + 128 * 64 + 64 + 64 + 1);
  const MlpTraining training = mlp.train(rows, surface(10, 3), options);
  EXPECT_EQ(training.steps, 60 * ((60 * 20 + 31) / 32));
  const std::vector<float> predicted = mlp.predict(unseen.x);
  double worst = 0;
  for (size_t i = 0; i < predicted.size(); ++i)
    worst = std::max(worst, std::abs(double{predicted[i]} - double{unseen.y[i]}));
  EXPECT_LT(worst, 0.8);
}

TEST(Mlp, KeepsTheBestEpochOfTheValidationRows) {
  MlpOptions options = small();
  options.epochs = 40;
  const MlpRows rows = surface(20, 1), validation = surface(20, 9);
  Mlp mlp(kernel(), 2, options);
  const MlpTraining training = mlp.train(rows, validation, options);
  const std::vector<float> predicted = mlp.predict(validation.x);
  double sum = 0;
  for (size_t i = 0; i < predicted.size(); ++i)
    sum += std::pow(double{predicted[i]} - double{validation.y[i]}, 2);
  EXPECT_NEAR(sum / 20, training.validation_loss, 1e-6);
  // Stopping at the best epoch gives the same weights: nothing after it was kept.
  MlpOptions shorter = options;
  shorter.epochs = training.best_epoch;
  Mlp again(kernel(), 2, shorter);
  again.train(rows, validation, shorter);
  EXPECT_EQ(again.weights(), mlp.weights());
}

TEST(Mlp, SameSeedSameWeights) {
  MlpOptions options;
  options.epochs = 3;
  Mlp a(kernel(), 2, options), b(kernel(), 2, options);
  a.train(surface(50, 1), {}, options);
  b.train(surface(50, 1), {}, options);
  EXPECT_EQ(a.weights(), b.weights());
  options.seed = 2;
  Mlp c(kernel(), 2, options);
  EXPECT_NE(Mlp(kernel(), 2, {}).weights(), c.weights());
}

// Head weights that move in one step on one row: those of hidden units that were active.
int moved(double rate) {
  MlpOptions options;
  options.hidden = {400};
  options.dropout = {rate};
  options.epochs = 1;
  Mlp mlp(kernel(), 2, options);
  const std::vector<float> before = mlp.weights();
  mlp.train(surface(1, 1), {}, options);
  int count = 0;
  for (size_t i = 1; i <= 400; ++i)
    count += before[before.size() - 1 - i] != mlp.weights()[before.size() - 1 - i];
  return count;
}

TEST(Mlp, DropoutDropsItsShare) {
  const int active = moved(0);
  EXPECT_GT(active, 150);
  EXPECT_NEAR(moved(0.4) / static_cast<double>(active), 0.6, 0.12);
  EXPECT_NEAR(moved(0.9) / static_cast<double>(active), 0.1, 0.08);
}

TEST(Mlp, RenewsOnlyTheHead) {
  Mlp mlp(kernel(), 4, {});
  const std::vector<float> before = mlp.weights();
  mlp.renew_head(7);
  for (size_t i = 0; i + 65 < before.size(); ++i) ASSERT_EQ(before[i], mlp.weights()[i]);
  EXPECT_NE(before[before.size() - 2], mlp.weights()[before.size() - 2]);
  EXPECT_EQ(mlp.weights().back(), 0);
}

TEST(Mlp, LeavesTheCallersThreadsAlone) {
  at::set_num_threads(2);
  Mlp mlp(kernel(), 2, small());
  mlp.train(surface(10, 1), {}, small());
  EXPECT_EQ(at::get_num_threads(), 2);
}

}  // namespace
}  // namespace flyball
