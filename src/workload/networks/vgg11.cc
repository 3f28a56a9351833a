// VGG-11 (Simonyan, Zisserman 2015, configuration A), laid out and named as in torchvision.
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <array>

#include "workload/classifier.h"
#include "workload/networks.h"
#include "workload/networks/initial.h"
#include "workload/networks/pooling.h"

namespace flyball {
namespace {

namespace nn = torch::nn;

constexpr int64_t kSide = 7;  ///< of what the linear layers take
constexpr double kDropout = 0.5;

// Width of each convolution, and whether it is pooled afterwards.
struct Layer {
  int64_t out;
  bool pooled;
};
constexpr std::array<Layer, 8> layers = {{{64, true},
                                          {128, true},
                                          {256, false},
                                          {256, true},
                                          {512, false},
                                          {512, true},
                                          {512, false},
                                          {512, true}}};

class Vgg11 final : public Classifier {
 public:
  explicit Vgg11(const NetworkShape& shape) : Classifier(shape) {
    TORCH_CHECK(shape.input[1] >= 32 && shape.input[2] >= 32, "VGG-11 needs at least 32×32 pixels");
    const auto features = register_module("features", std::make_shared<nn::Module>());
    int64_t channels = shape.input[0], place = 0;
    for (const Layer& layer : layers) {
      convolutions_.push_back(features->register_module(
          std::to_string(place), nn::Conv2d(nn::Conv2dOptions(channels, layer.out, 3).padding(1))));
      place += layer.pooled ? 3 : 2;  // ReLU and pooling have places of their own
      channels = layer.out;
    }
    const auto classifier = register_module("classifier", std::make_shared<nn::Module>());
    fc1_ = classifier->register_module("0", nn::Linear(channels * kSide * kSide, 4096));
    fc2_ = classifier->register_module("3", nn::Linear(4096, 4096));
    fc3_ = classifier->register_module("6", nn::Linear(4096, shape.classes));
    initialise(*this, 0.01);
  }

  torch::Tensor forward(const torch::Tensor& samples) override {
    torch::Tensor x = samples;
    for (size_t i = 0; i < layers.size(); ++i) {
      x = convolutions_[i]->forward(x);
      // Pooled first: the same values and gradients as after ReLU, on a quarter of the numbers.
      if (layers[i].pooled) x = max_pool2d(x, 2, 2);
      x = x.relu_();
    }
    if (x.size(2) != kSide || x.size(3) != kSide) x = at::adaptive_avg_pool2d(x, {kSide, kSide});
    x = at::dropout(fc1_->forward(x.flatten(1)).relu_(), kDropout, is_training());
    x = at::dropout(fc2_->forward(x).relu_(), kDropout, is_training());
    return fc3_->forward(x);
  }

 private:
  std::vector<nn::Conv2d> convolutions_;
  nn::Linear fc1_{nullptr}, fc2_{nullptr}, fc3_{nullptr};
};

}  // namespace

std::shared_ptr<Network> make_vgg11(const NetworkShape& shape) {
  return std::make_shared<Vgg11>(shape);
}

}  // namespace flyball
