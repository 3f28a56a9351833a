// ResNet (He et al. 2016), version 1.5: the stride of a bottleneck sits in its 3×3 convolution.
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "workload/classifier.h"
#include "workload/networks.h"
#include "workload/networks/initial.h"
#include "workload/networks/pooling.h"

namespace flyball {
namespace {

namespace nn = torch::nn;

nn::Conv2d conv(int64_t in, int64_t out, int64_t window, int64_t stride) {
  return nn::Conv2d(
      nn::Conv2dOptions(in, out, window).stride(stride).padding(window / 2).bias(false));
}

// Two or three convolutions around which the input is added back.
class Block : public nn::Module {
 public:
  virtual torch::Tensor forward(const torch::Tensor& input) = 0;

 protected:
  void add_shortcut(int64_t in, int64_t out, int64_t stride) {
    if (stride == 1 && in == out) return;
    shortcut_ = register_module("downsample",
                                nn::Sequential(conv(in, out, 1, stride), nn::BatchNorm2d(out)));
  }
  torch::Tensor joined(torch::Tensor output, const torch::Tensor& input) {
    output += shortcut_.is_empty() ? input : shortcut_->forward(input);
    return output.relu_();
  }

 private:
  nn::Sequential shortcut_{nullptr};
};

class BasicBlock final : public Block {
 public:
  static constexpr int64_t expansion = 1;

  BasicBlock(int64_t in, int64_t width, int64_t stride) {
    conv1 = register_module("conv1", conv(in, width, 3, stride));
    bn1 = register_module("bn1", nn::BatchNorm2d(width));
    conv2 = register_module("conv2", conv(width, width, 3, 1));
    bn2 = register_module("bn2", nn::BatchNorm2d(width));
    add_shortcut(in, width, stride);
  }

  torch::Tensor forward(const torch::Tensor& input) override {
    const torch::Tensor x = bn1->forward(conv1->forward(input)).relu_();
    return joined(bn2->forward(conv2->forward(x)), input);
  }

 private:
  nn::Conv2d conv1{nullptr}, conv2{nullptr};
  nn::BatchNorm2d bn1{nullptr}, bn2{nullptr};
};

class Bottleneck final : public Block {
 public:
  static constexpr int64_t expansion = 4;

  Bottleneck(int64_t in, int64_t width, int64_t stride) {
    conv1 = register_module("conv1", conv(in, width, 1, 1));
    bn1 = register_module("bn1", nn::BatchNorm2d(width));
    conv2 = register_module("conv2", conv(width, width, 3, stride));
    bn2 = register_module("bn2", nn::BatchNorm2d(width));
    conv3 = register_module("conv3", conv(width, width * expansion, 1, 1));
    bn3 = register_module("bn3", nn::BatchNorm2d(width * expansion));
    add_shortcut(in, width * expansion, stride);
  }

  torch::Tensor forward(const torch::Tensor& input) override {
    torch::Tensor x = bn1->forward(conv1->forward(input)).relu_();
    x = bn2->forward(conv2->forward(x)).relu_();
    return joined(bn3->forward(conv3->forward(x)), input);
  }

 private:
  nn::Conv2d conv1{nullptr}, conv2{nullptr}, conv3{nullptr};
  nn::BatchNorm2d bn1{nullptr}, bn2{nullptr}, bn3{nullptr};
};

template <class Kind>
class ResNet final : public Classifier {
 public:
  ResNet(const NetworkShape& shape, const std::array<int, 4>& depths) : Classifier(shape) {
    conv1 = register_module(
        "conv1",
        nn::Conv2d(nn::Conv2dOptions(shape.input[0], 64, 7).stride(2).padding(3).bias(false)));
    bn1 = register_module("bn1", nn::BatchNorm2d(64));
    int64_t in = 64;
    for (size_t stage = 0; stage < depths.size(); ++stage) {
      nn::ModuleList layer;
      const int64_t width = int64_t{64} << stage;
      for (int i = 0; i < depths[stage]; ++i) {
        auto block = std::make_shared<Kind>(in, width, i == 0 && stage > 0 ? 2 : 1);
        in = width * Kind::expansion;
        layer->push_back(block);
        blocks_.push_back(std::move(block));
      }
      register_module("layer" + std::to_string(stage + 1), layer);
    }
    fc = register_module("fc", nn::Linear(in, shape.classes));
    initialise(*this);
  }

  torch::Tensor forward(const torch::Tensor& samples) override {
    // Pooled first: the same values and gradients as with ReLU before, on a quarter of the numbers.
    torch::Tensor x = max_pool2d(bn1->forward(conv1->forward(samples)), 3, 2, 1).relu_();
    for (const auto& block : blocks_) x = block->forward(x);
    return fc->forward(at::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }

 private:
  nn::Conv2d conv1{nullptr};
  nn::BatchNorm2d bn1{nullptr};
  std::vector<std::shared_ptr<Block>> blocks_;
  nn::Linear fc{nullptr};
};

}  // namespace

std::shared_ptr<Network> make_resnet18(const NetworkShape& shape) {
  return std::make_shared<ResNet<BasicBlock>>(shape, std::array{2, 2, 2, 2});
}

std::shared_ptr<Network> make_resnet50(const NetworkShape& shape) {
  return std::make_shared<ResNet<Bottleneck>>(shape, std::array{3, 4, 6, 3});
}

}  // namespace flyball
