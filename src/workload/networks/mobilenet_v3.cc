// MobileNetV3-Large (Howard et al. 2019), laid out and named as in torchvision.
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/functional.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>

#include "workload/classifier.h"
#include "workload/networks.h"
#include "workload/networks/initial.h"

namespace flyball {
namespace {

namespace nn = torch::nn;

torch::Tensor hardswish(const torch::Tensor& input) {
  return at::hardswish(input);
}

enum class Activation { none, relu, hardswish };

// Convolution, normalisation and activation.
class ConvNorm final : public nn::Module {
 public:
  ConvNorm(int64_t in, int64_t out, int64_t window, int64_t stride, int64_t groups,
           Activation activation)
      : activation_(activation) {
    conv_ = register_module("0", nn::Conv2d(nn::Conv2dOptions(in, out, window)
                                                .stride(stride)
                                                .padding(window / 2)
                                                .groups(groups)
                                                .bias(false)));
    norm_ =
        register_module("1", nn::BatchNorm2d(nn::BatchNorm2dOptions(out).eps(1e-3).momentum(0.01)));
  }

  torch::Tensor forward(const torch::Tensor& input) {
    torch::Tensor x = norm_->forward(conv_->forward(input));
    if (activation_ == Activation::relu) return x.relu_();
    return activation_ == Activation::hardswish ? at::hardswish_(x) : x;
  }

 private:
  nn::Conv2d conv_{nullptr};
  nn::BatchNorm2d norm_{nullptr};
  Activation activation_;
};

// Squeeze and excitation: each channel is scaled by what all of them say.
class Squeeze final : public nn::Module {
 public:
  explicit Squeeze(int64_t channels) {
    const int64_t inner = divisible_by_8(channels / 4);
    fc1_ = register_module("fc1", nn::Conv2d(nn::Conv2dOptions(channels, inner, 1)));
    fc2_ = register_module("fc2", nn::Conv2d(nn::Conv2dOptions(inner, channels, 1)));
  }

  torch::Tensor forward(const torch::Tensor& input) {
    const torch::Tensor mean = at::adaptive_avg_pool2d(input, {1, 1});
    const torch::Tensor scale = at::hardsigmoid(fc2_->forward(fc1_->forward(mean).relu_()));
    return scale * input;
  }

 private:
  // The nearest multiple of 8 that is not more than a tenth below.
  static int64_t divisible_by_8(int64_t channels) {
    const int64_t nearest = std::max<int64_t>(8, (channels + 4) / 8 * 8);
    return nearest * 10 < channels * 9 ? nearest + 8 : nearest;
  }
  nn::Conv2d fc1_{nullptr}, fc2_{nullptr};
};

struct Shape {
  int64_t in, window, wide, out;
  bool squeeze;
  Activation activation;
  int64_t stride;
};

// Widen, filter each channel, squeeze, narrow again.
class Inverted final : public nn::Module {
 public:
  explicit Inverted(const Shape& s) : adds_(s.stride == 1 && s.in == s.out) {
    nn::ModuleList block;
    if (s.wide != s.in) {
      widen_ = std::make_shared<ConvNorm>(s.in, s.wide, 1, 1, 1, s.activation);
      block->push_back(widen_);
    }
    filter_ = std::make_shared<ConvNorm>(s.wide, s.wide, s.window, s.stride, s.wide, s.activation);
    block->push_back(filter_);
    if (s.squeeze) {
      squeeze_ = std::make_shared<Squeeze>(s.wide);
      block->push_back(squeeze_);
    }
    narrow_ = std::make_shared<ConvNorm>(s.wide, s.out, 1, 1, 1, Activation::none);
    block->push_back(narrow_);
    register_module("block", block);
  }

  torch::Tensor forward(const torch::Tensor& input) {
    torch::Tensor x = filter_->forward(widen_ ? widen_->forward(input) : input);
    if (squeeze_) x = squeeze_->forward(x);
    x = narrow_->forward(x);
    return adds_ ? x += input : x;
  }

 private:
  bool adds_;
  std::shared_ptr<ConvNorm> widen_, filter_, narrow_;
  std::shared_ptr<Squeeze> squeeze_;
};

const std::vector<Shape>& shapes() {
  constexpr auto relu = Activation::relu, hard = Activation::hardswish;
  static const std::vector<Shape> list = {
      {16, 3, 16, 16, false, relu, 1},   {16, 3, 64, 24, false, relu, 2},
      {24, 3, 72, 24, false, relu, 1},   {24, 5, 72, 40, true, relu, 2},
      {40, 5, 120, 40, true, relu, 1},   {40, 5, 120, 40, true, relu, 1},
      {40, 3, 240, 80, false, hard, 2},  {80, 3, 200, 80, false, hard, 1},
      {80, 3, 184, 80, false, hard, 1},  {80, 3, 184, 80, false, hard, 1},
      {80, 3, 480, 112, true, hard, 1},  {112, 3, 672, 112, true, hard, 1},
      {112, 5, 672, 160, true, hard, 2}, {160, 5, 960, 160, true, hard, 1},
      {160, 5, 960, 160, true, hard, 1}};
  return list;
}

class MobileNetV3 final : public Classifier {
 public:
  explicit MobileNetV3(const NetworkShape& shape) : Classifier(shape) {
    nn::ModuleList features;
    stem_ = std::make_shared<ConvNorm>(shape.input[0], 16, 3, 2, 1, Activation::hardswish);
    features->push_back(stem_);
    for (const Shape& s : shapes()) {
      blocks_.push_back(std::make_shared<Inverted>(s));
      features->push_back(blocks_.back());
    }
    top_ = std::make_shared<ConvNorm>(160, 960, 1, 1, 1, Activation::hardswish);
    features->push_back(top_);
    register_module("features", features);
    classifier_ = register_module("classifier",
                                  nn::Sequential(nn::Linear(960, 1280), nn::Functional(hardswish),
                                                 nn::Dropout(nn::DropoutOptions(0.2).inplace(true)),
                                                 nn::Linear(1280, shape.classes)));
    initialise(*this, 0.01);
  }

  torch::Tensor forward(const torch::Tensor& samples) override {
    torch::Tensor x = stem_->forward(samples);
    for (const auto& block : blocks_) x = block->forward(x);
    x = at::adaptive_avg_pool2d(top_->forward(x), {1, 1}).flatten(1);
    return classifier_->forward(x);
  }

 private:
  std::shared_ptr<ConvNorm> stem_, top_;
  std::vector<std::shared_ptr<Inverted>> blocks_;
  nn::Sequential classifier_{nullptr};
};

}  // namespace

std::shared_ptr<Network> make_mobilenet_v3(const NetworkShape& shape) {
  return std::make_shared<MobileNetV3>(shape);
}

}  // namespace flyball
