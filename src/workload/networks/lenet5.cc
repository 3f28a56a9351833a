// LeNet-5 (LeCun et al. 1998) as it is trained today: ReLU for tanh, max pooling for subsampling.
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "workload/classifier.h"
#include "workload/networks.h"
#include "workload/networks/pooling.h"

namespace flyball {
namespace {

namespace nn = torch::nn;

class LeNet5 final : public Classifier {
 public:
  explicit LeNet5(const NetworkShape& shape) : Classifier(shape) {
    const int64_t channels = shape.input[0], height = shape.input[1], width = shape.input[2];
    const int64_t padding = std::min(height, width) <= 28 ? 2 : 0;
    const auto pooled = [&](int64_t size) { return ((size + 2 * padding - 4) / 2 - 4) / 2; };
    const int64_t features = 16 * pooled(height) * pooled(width);
    TORCH_CHECK(pooled(height) > 0 && pooled(width) > 0, "LeNet-5 needs at least 12×12 pixels");
    conv1 =
        register_module("conv1", nn::Conv2d(nn::Conv2dOptions(channels, 6, 5).padding(padding)));
    conv2 = register_module("conv2", nn::Conv2d(nn::Conv2dOptions(6, 16, 5)));
    fc1 = register_module("fc1", nn::Linear(features, 120));
    fc2 = register_module("fc2", nn::Linear(120, 84));
    fc3 = register_module("fc3", nn::Linear(84, shape.classes));
  }

  torch::Tensor forward(const torch::Tensor& samples) override {
    // Pooled first: the same values and gradients as with ReLU before, on a quarter of the numbers.
    torch::Tensor x = max_pool2d(conv1->forward(samples), 2, 2).relu_();
    x = max_pool2d(conv2->forward(x), 2, 2).relu_().flatten(1);
    x = fc2->forward(fc1->forward(x).relu_()).relu_();
    return fc3->forward(x);
  }

 private:
  nn::Conv2d conv1{nullptr}, conv2{nullptr};
  nn::Linear fc1{nullptr}, fc2{nullptr}, fc3{nullptr};
};

}  // namespace

std::shared_ptr<Network> make_lenet5(const NetworkShape& shape) {
  return std::make_shared<LeNet5>(shape);
}

}  // namespace flyball
