// What a step runs: a LibTorch module with one tensor in and one out. Inside this room only, since
// LibTorch's headers take seconds to compile.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

namespace flyball {

/// Samples N×C×H×W in, logits N×classes out. Parameters carry torchvision's names and order.
class Network : public torch::nn::Module {
 public:
  virtual torch::Tensor forward(const torch::Tensor& samples) = 0;
};

}  // namespace flyball
