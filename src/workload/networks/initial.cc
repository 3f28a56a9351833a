#include "workload/networks/initial.h"

#include <torch/nn/init.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

namespace flyball {

void initialise(torch::nn::Module& network, double linear) {
  const torch::NoGradGuard no_grad;
  // Called from constructors, where the network itself is not yet shared.
  for (const auto& module : network.modules(false)) {
    if (auto* conv = module->as<torch::nn::Conv2d>()) {
      torch::nn::init::kaiming_normal_(conv->weight, 0, torch::kFanOut, torch::kReLU);
      if (conv->bias.defined()) conv->bias.zero_();
    } else if (auto* norm = module->as<torch::nn::BatchNorm2d>()) {
      norm->weight.fill_(1);
      norm->bias.zero_();
    } else if (auto* dense = module->as<torch::nn::Linear>(); dense && linear > 0) {
      dense->weight.normal_(0, linear);
      dense->bias.zero_();
    }
  }
}

}  // namespace flyball
