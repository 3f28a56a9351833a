// YOLOv8n against what is published of it, against eager PyTorch (yolo_outputs.py printed the
// recorded numbers) and by hand.
#include <ATen/Functions.h>
#include <ATen/record_function.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/batchnorm.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "data/batch_buffer.h"
#include "data/pictures/detection_collate.h"
#include "data/pictures/picture_collate.h"
#include "workload/detection/yolo_loss.h"
#include "workload/networks.h"
#include "workload/networks/formula_weights_testing.h"
#include "workload/networks/norm_silu.h"
#include "workload/stepper.h"

namespace flyball {
namespace {

constexpr double kGain = 6;

std::shared_ptr<Network> network_of(int64_t side, int64_t classes) {
  return make_yolo_v8n({{3, side, side}, classes});
}

Tensors image_batch(const torch::Tensor& image) {
  Tensors batch;
  batch.add(image_tensor, image);
  return batch;
}

torch::Tensor formula_image(int64_t samples, int64_t side) {
  torch::Tensor image = torch::empty({samples, 3, side, side});
  fill_by_formula(image, 0, [](double u) { return u; });
  return image;
}

// The boxes of yolo_outputs.py.
void add_targets(Tensors& batch) {
  batch.add(box_tensor, torch::tensor({10.0f, 12.0f, 60.0f, 70.0f, 40.0f, 30.0f, 90.0f, 92.0f, 5.0f,
                                       50.0f, 45.0f, 90.0f, 0.0f, 0.0f, 0.0f, 0.0f})
                            .view({2, 2, 4}));
  batch.add(box_class_tensor,
            torch::tensor({int64_t{3}, int64_t{17}, int64_t{79}, int64_t{0}}).view({2, 2}));
  batch.add(box_mask_tensor, torch::tensor({1, 1, 1, 0}).to(torch::kBool).view({2, 2}));
}

// The published listing: parts of the body by their number, and the head (897,664 with its 16
// fixed).
TEST(YoloV8n, HasThePublishedParameters) {
  const auto network = network_of(640, 80);
  const std::map<std::string, int64_t> published = {
      {"model_0", 464},    {"model_1", 4672},    {"model_2", 7360},    {"model_3", 18560},
      {"model_4", 49664},  {"model_5", 73984},   {"model_6", 197632},  {"model_7", 295424},
      {"model_8", 460288}, {"model_9", 164608},  {"model_12", 148224}, {"model_15", 37248},
      {"model_16", 36992}, {"model_18", 123648}, {"model_19", 147712}, {"model_21", 493056},
      {"cv2", 381888},     {"cv3", 515760}};
  std::map<std::string, int64_t> counted;
  int64_t all = 0;
  for (const auto& item : network->named_parameters()) {
    counted[item.key().substr(0, item.key().find('.'))] += item.value().numel();
    all += item.value().numel();
  }
  EXPECT_EQ(counted, published);
  EXPECT_EQ(all, 3157184);
  EXPECT_EQ(network->named_buffers()["dfl"].numel(), 16);
}

// Multiply-adds of all convolutions of a forward pass, counted as they run.
class ConvolutionCounter {
 public:
  ConvolutionCounter() {
    handle_ = at::addThreadLocalCallback(at::RecordFunctionCallback(&count).needsInputs(true));
    total() = 0;
  }
  ~ConvolutionCounter() { at::removeCallback(handle_); }
  ConvolutionCounter(const ConvolutionCounter&) = delete;
  ConvolutionCounter& operator=(const ConvolutionCounter&) = delete;
  static double& total() {
    static double sum = 0;
    return sum;
  }

 private:
  static std::unique_ptr<at::ObserverContext> count(const at::RecordFunction& function) {
    if (std::string(function.name()) != "aten::conv2d") return nullptr;
    const auto inputs = function.inputs();
    const torch::Tensor image = inputs[0].toTensor(), weight = inputs[1].toTensor();
    const auto stride = inputs[3].toIntVector();
    const double cells = static_cast<double>(image.size(2) / stride[0]) *
                         static_cast<double>(image.size(3) / stride[1]);
    total() += cells * static_cast<double>(weight.numel());
    return nullptr;
  }
  at::CallbackHandle handle_;
};

TEST(YoloV8n, TakesThePublishedWorkAt640) {
  const auto network = network_of(640, 80);
  network->eval();
  const torch::NoGradGuard no_grad;
  Tensors outputs;
  const ConvolutionCounter counter;
  network->answer(image_batch(torch::zeros({1, 3, 640, 640})), outputs);
  EXPECT_NEAR(2 * ConvolutionCounter::total(), 8.7e9, 0.05e9);
  EXPECT_EQ(outputs["boxes"].sizes(), (std::vector<int64_t>{1, 4, 8400}));
  EXPECT_EQ(outputs["scores"].sizes(), (std::vector<int64_t>{1, 80, 8400}));
}

struct RecordedAnchor {
  int64_t sample, anchor;
  std::array<float, 4> box;
  std::array<float, 3> scores;  ///< of classes 0, 17 and 79
};
constexpr RecordedAnchor kAnchors[] = {
    {0, 0, {-54.990086f, -56.539165f, 64.176384f, 64.388824f}, {0.475122f, 0.496680f, 0.533699f}},
    {0, 77, {-15.330444f, -9.644814f, 104.785675f, 112.357513f}, {0.500169f, 0.511394f, 0.516804f}},
    {0,
     150,
     {-112.206352f, -92.643448f, 129.562302f, 142.226761f},
     {0.478489f, 0.476409f, 0.479134f}},
    {0,
     188,
     {-158.582764f, -163.312195f, 323.205627f, 316.929260f},
     {0.494001f, 0.531528f, 0.508908f}},
    {1, 0, {-55.202217f, -56.363693f, 64.447121f, 64.299644f}, {0.477006f, 0.494351f, 0.533697f}},
    {1, 77, {-15.480991f, -9.788445f, 105.084236f, 112.336075f}, {0.505245f, 0.513906f, 0.513406f}},
    {1,
     150,
     {-112.319092f, -92.803871f, 129.657852f, 142.167465f},
     {0.477619f, 0.479977f, 0.479718f}},
    {1,
     188,
     {-158.393188f, -162.978363f, 323.116272f, 316.908966f},
     {0.493566f, 0.531518f, 0.509579f}},
};

// With the normalisation folded into the convolutions, and without.
TEST(YoloV8n, AnswersAsEagerPyTorchDoes) {
  const auto network = network_of(96, 80);
  set_formula_weights(*network, kGain);
  network->eval();
  for (const bool folded : {true, false}) {
    const torch::AutoGradMode gradients(!folded);
    Tensors outputs;
    network->answer(image_batch(formula_image(2, 96)), outputs);
    EXPECT_EQ(outputs["boxes"].size(2), 189);
    for (const RecordedAnchor& recorded : kAnchors) {
      for (int64_t i = 0; i < 4; ++i)
        EXPECT_NEAR(outputs["boxes"][recorded.sample][i][recorded.anchor].item<float>(),
                    recorded.box[static_cast<size_t>(i)], 1e-3);
      constexpr std::array<int64_t, 3> classes = {0, 17, 79};
      for (size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(outputs["scores"][recorded.sample][classes[i]][recorded.anchor].item<float>(),
                    recorded.scores[i], 1e-4);
    }
  }
}

struct RecordedGradient {
  const char* name;
  float norm, second;
};
constexpr RecordedGradient kGradients[] = {
    {"model_0.conv.weight", 404.582566f, -15.80284405f},
    {"model_4.m.1.cv2.bn.weight", 23.323480f, -0.85811812f},
    {"model_9.cv1.bn.bias", 5.285126f, 0.16998982f},
    {"cv2.0.2.weight", 1.730065f, -0.00215103f},
    {"cv3.2.2.bias", 12.696697f, 1.19467211f},
};

TEST(YoloV8n, LossAndGradientsAreEagerPyTorchs) {
  const auto network = network_of(96, 80);
  set_formula_weights(*network, kGain);
  network->train();
  Tensors batch = image_batch(formula_image(2, 96)), outputs, losses;
  network->answer(batch, outputs);
  add_targets(batch);
  network->losses(outputs, batch, losses);
  const std::array recorded = {3595.996826f, 0.769317f, 7170.556641f, 3.299186f};
  const std::array names = {"loss", "box_loss", "class_loss", "focal_loss"};
  for (size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(losses[names[i]].item<float>() / recorded[i], 1, 1e-4) << names[i];
  losses["loss"].backward();
  auto parameters = network->named_parameters();
  for (const RecordedGradient& gradient : kGradients) {
    const torch::Tensor own = parameters[gradient.name].grad();
    EXPECT_NEAR(own.to(torch::kFloat64).norm().item<double>() / gradient.norm, 1, 2e-3)
        << gradient.name;
    EXPECT_NEAR(own.flatten()[1].item<float>(), gradient.second, 2e-3 * gradient.norm)
        << gradient.name;
  }
  auto buffers = network->named_buffers();
  EXPECT_NEAR(buffers["model_9.cv1.bn.running_mean"][1].item<float>(), -0.052549f, 1e-5);
  EXPECT_NEAR(buffers["model_9.cv1.bn.running_var"][1].item<float>(), 0.507237f, 1e-5);
}

TEST(YoloV8n, WhatWasFoldedFollowsTheWeights) {
  const auto network = network_of(32, 2);
  network->eval();
  const torch::NoGradGuard no_grad;
  const auto answers = [&](bool folded) {
    const torch::AutoGradMode gradients(!folded);
    Tensors outputs;
    network->answer(image_batch(formula_image(1, 32)), outputs);
    return outputs["boxes"].detach().clone();
  };
  const torch::Tensor before = answers(true);
  EXPECT_TRUE(at::allclose(before, answers(false), 1e-4, 1e-3));
  network->named_parameters()["model_0.conv.weight"].mul_(-3);  // as a checkpoint would
  EXPECT_TRUE(at::allclose(answers(true), answers(false), 1e-4, 1e-3));
  EXPECT_FALSE(at::equal(answers(true), before));
  network->train();
  network->named_buffers()["model_1.bn.running_mean"].data_ptr<float>()[0] += 5;  // unseen
  network->eval();
  EXPECT_TRUE(at::allclose(answers(true), answers(false), 1e-4, 1e-3));
}

TEST(YoloV8n, RefusesImagesThatItCannotHalveFiveTimes) {
  EXPECT_THROW(make_yolo_v8n({{3, 100, 96}, 2}), c10::Error);
  StepOptions options;
  options.shape = {3, 100, 96};
  const auto made = make_stepper("yolo_v8n", options);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message.find("multiples of 32"), std::string::npos);
}

// One bin for all: log 16. Half of the entropy with bins 3 and 4 by 3.25: 3/4 and 1/4.
TEST(DetectorLoss, DistributionFocalByHand) {
  const torch::Tensor sides = torch::full({1, 4}, 3.25);
  EXPECT_NEAR(distribution_focal(torch::zeros({1, 4, 16}), sides).item<double>(), std::log(16),
              1e-5);
  torch::Tensor logits = torch::zeros({1, 4, 16});
  logits.select(2, 3).fill_(std::log(45.0));  // 45 of 60 shares
  const double by_hand = -(0.75 * std::log(45.0 / 60) + 0.25 * std::log(1.0 / 60));
  EXPECT_NEAR(distribution_focal(logits, sides).item<double>(), by_hand, 1e-5);
  // Beyond the last bin it is held to 14.99.
  EXPECT_NEAR(
      distribution_focal(torch::zeros({1, 4, 16}), torch::full({1, 4}, 99.0)).item<double>(),
      std::log(16), 1e-5);
}

TEST(DetectorLoss, CompleteIouByHand) {
  const torch::Tensor found =
      torch::tensor({0.0f, 0.0f, 2.0f, 2.0f, 0.0f, 0.0f, 4.0f, 2.0f}).view({2, 4});
  const torch::Tensor wanted =
      torch::tensor({1.0f, 1.0f, 3.0f, 3.0f, 0.0f, 0.0f, 2.0f, 4.0f}).view({2, 4});
  const torch::Tensor overlap = complete_iou(found, wanted);
  EXPECT_NEAR(overlap[0].item<double>(), 1.0 / 7 - 1.0 / 9, 1e-5);
  EXPECT_NEAR(overlap[1].item<double>(), 1.0 / 3 - 1.0 / 16 - 0.0337517, 1e-5);
}

// One scale of 2 × 2 cells whose outputs are all zero: four anchors, two classes.
TEST(DetectorLoss, ByHandOnFourAnchors) {
  const std::vector<DetectorScale> scales = {
      {torch::zeros({1, 64, 2, 2}), torch::zeros({1, 2, 2, 2}), 8}};
  const auto with = [&](bool box) {
    return detector_losses(
        scales, {torch::tensor({0.0f, 0.0f, 8.0f, 8.0f}).view({1, 1, 4}),
                 torch::ones({1, 1}, torch::kInt64), torch::full({1, 1}, box, torch::kBool)});
  };
  const DetectorLosses none = with(false);
  EXPECT_NEAR(none.classes.item<double>(), 8 * std::log(2), 1e-5);
  EXPECT_EQ(none.box.item<double>(), 0);
  EXPECT_EQ(none.focal.item<double>(), 0);
  // The first anchor is inside and predicts 7.5 strides to each side: 1 of 225, centres alike. Its
  // score is little of that, the agreement being √0.5 / 225⁶; the scores' sum is held to 1.
  const DetectorLosses one = with(true);
  const double overlap = 1.0 / 225, agreement = std::sqrt(0.5) * std::pow(overlap, 6);
  const double score = overlap * agreement / (agreement + 1e-9);
  EXPECT_NEAR(one.box.item<double>() / ((1 - overlap) * score), 1, 1e-3);
  EXPECT_NEAR(one.focal.item<double>() / (std::log(16) * score), 1, 1e-3);
  EXPECT_NEAR(one.classes.item<double>(), 8 * std::log(2), 1e-5);  // logits of 0: x · score is 0
}

// Values, gradients and running statistics against LibTorch's own two operators.
TEST(NormSilu, IsBatchNormAndSilu) {
  for (const auto& sizes :
       std::vector<std::vector<int64_t>>{{3, 5, 7, 11}, {2, 3, 64, 80}, {1, 2, 1, 3}}) {
    torch::manual_seed(3);
    torch::nn::BatchNorm2d ours(sizes[1]), theirs(sizes[1]);
    const torch::NoGradGuard no_grad;
    for (auto* norm : {&ours, &theirs}) {
      (*norm)->weight.copy_(at::linspace(0.5, 2, sizes[1]));
      (*norm)->bias.copy_(at::linspace(-1, 1, sizes[1]));
    }
    const torch::AutoGradMode gradients(true);
    // Far from zero: a variance from sums of squares would be lost.
    torch::Tensor one = (at::randn(sizes) * 2 + 300).set_requires_grad(true);
    torch::Tensor other = one.detach().clone().set_requires_grad(true);
    const torch::Tensor towards = at::randn(sizes);
    const torch::Tensor y = norm_silu(*ours, one), z = at::silu(theirs(other));
    EXPECT_TRUE(at::allclose(y, z, 1e-4, 1e-4)) << sizes[2];
    (y * towards).sum().backward();
    (z * towards).sum().backward();
    EXPECT_TRUE(at::allclose(one.grad(), other.grad(), 1e-3, 1e-3)) << sizes[2];
    EXPECT_TRUE(at::allclose(ours->weight.grad(), theirs->weight.grad(), 1e-3, 1e-2)) << sizes[2];
    EXPECT_TRUE(at::allclose(ours->bias.grad(), theirs->bias.grad(), 1e-3, 1e-3)) << sizes[2];
    EXPECT_TRUE(at::allclose(ours->running_mean, theirs->running_mean, 1e-5, 1e-5));
    EXPECT_TRUE(at::allclose(ours->running_var, theirs->running_var, 1e-4, 1e-5));
  }
}

TEST(NormSilu, IsFiniteFarOut) {
  torch::nn::BatchNorm2d norm(1);
  {
    const torch::NoGradGuard no_grad;
    norm->weight.fill_(1e4);
  }
  torch::Tensor x = at::randn({1, 1, 8, 8}).set_requires_grad(true);
  const torch::Tensor y = norm_silu(*norm, x);
  y.sum().backward();
  EXPECT_TRUE(at::isfinite(y).all().item<bool>());
  EXPECT_TRUE(at::isfinite(x.grad()).all().item<bool>());
  EXPECT_NEAR(y.min().item<double>(), 0, 1e-3);
}

// A minibatch of one bright square on each of two pictures.
class Squares {
 public:
  explicit Squares(int64_t side)
      : buffer_(*BatchBuffer::create({{image_tensor, DType::float32, {3, side, side}},
                                      {box_tensor, DType::float32, {2, 4}},
                                      {box_class_tensor, DType::int64, {2}},
                                      {box_mask_tensor, DType::boolean, {2}}},
                                     2)) {
    for (int64_t n = 0; n < 2; ++n) {
      const auto image = buffer_.row<float>(0);
      const int64_t from = 8 + 24 * n, to = from + 24;
      for (int64_t i = 0; i < 3 * side * side; ++i) {
        const int64_t x = i % side, y = i / side % side;
        image[static_cast<size_t>(i)] = x >= from && x < to && y >= from && y < to ? 0.9f : 0.2f;
      }
      const auto box = buffer_.row<float>(1);
      for (size_t i = 0; i < 8; ++i) box[i] = i < 4 ? static_cast<float>(i < 2 ? from : to) : 0;
      const auto label = buffer_.row<int64_t>(2);
      label[0] = n, label[1] = 0;
      const auto mask = buffer_.row<bool>(3);
      mask[0] = true, mask[1] = false;
      buffer_.commit();
    }
  }
  BatchView view() { return buffer_.view(); }
  void relabel(int64_t label) {
    const_cast<int64_t&>(buffer_.view().values<int64_t>(box_class_tensor)[0]) = label;
  }

 private:
  BatchBuffer buffer_;
};

StepOptions small_options() {
  StepOptions options;
  options.threads = 1;
  options.shape = {3, 64, 64};
  options.classes = 2;
  return options;
}

std::vector<double> losses_with(const StepOptions& options, int steps) {
  Squares batch(64);
  const auto stepper = *make_stepper("yolo_v8n", options);
  std::vector<double> losses;
  for (int i = 0; i < steps; ++i) {
    const auto result = stepper->step(batch.view());
    EXPECT_TRUE(result.ok()) << result.error().message;
    if (!result.ok()) break;
    losses.push_back(result->loss);
    const auto part = [&](const char* name) { return result->outputs.values<double>(name)[0]; };
    EXPECT_NEAR(7.5 * part("box_loss") + 0.5 * part("class_loss") + 1.5 * part("focal_loss"),
                result->loss, 1e-3 * result->loss);
  }
  return losses;
}

// What anchors are to say rises with how well they overlap, and so does the loss at first.
TEST(YoloV8n, LossFallsOnATinySetInEitherLayout) {
  StepOptions options = small_options();
  options.optimizer = Optimizer::adam;
  options.learning_rate = 1e-3;
  for (const bool channels_last : {false, true}) {
    options.channels_last = channels_last;
    const auto losses = losses_with(options, 60);
    ASSERT_EQ(losses.size(), 60u);
    const double peak = *std::max_element(losses.begin(), losses.begin() + 20);
    const double end = std::accumulate(losses.end() - 5, losses.end(), 0.0) / 5;
    EXPECT_LT(end, 0.6 * peak) << channels_last;
  }
}

// Eight bits of mantissa through 60 layers: near, not equal.
TEST(YoloV8n, Bf16AnswersNearlyAndSteps) {
  StepOptions options = small_options();
  Squares batch(64);
  std::vector<float> exact;
  for (const Precision precision : {Precision::fp32, Precision::bf16}) {
    options.precision = precision;
    const auto stepper = *make_stepper("yolo_v8n", options);
    const auto answers = stepper->infer(batch.view());
    ASSERT_TRUE(answers.ok()) << answers.error().message;
    const auto boxes = answers->outputs.values<float>("boxes");
    if (exact.empty()) exact.assign(boxes.begin(), boxes.end());
    for (size_t i = 0; i < boxes.size(); ++i) ASSERT_NEAR(boxes[i], exact[i], 3) << i;
    const auto result = stepper->step(batch.view());
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_TRUE(std::isfinite(result->loss));
  }
}

TEST(YoloV8n, InferenceAnswersBoxesAndScores) {
  Squares batch(64);
  StepOptions options = small_options();
  options.phase = Phase::infer;
  const auto stepper = *make_stepper("yolo_v8n", options);
  const auto answers = stepper->step(batch.view());
  ASSERT_TRUE(answers.ok()) << answers.error().message;
  EXPECT_EQ(answers->outputs.find("boxes")->shape, (TensorShape{2, 4, 84}));
  EXPECT_EQ(answers->outputs.find("scores")->shape, (TensorShape{2, 2, 84}));
  for (const float score : answers->outputs.values<float>("scores")) {
    EXPECT_GE(score, 0);
    EXPECT_LE(score, 1);
  }
}

TEST(YoloV8n, ALabelThatIsNoClassIsRefused) {
  Squares batch(64);
  batch.relabel(2);
  const auto stepper = *make_stepper("yolo_v8n", small_options());
  const auto result = stepper->step(batch.view());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, "a box of class 2, which is not in 0 to 1");
}

}  // namespace
}  // namespace flyball
