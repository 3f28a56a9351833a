// Optimizer steps as single passes over memory; LibTorch's own take one pass for each operation.
#pragma once

#include <torch/types.h>

#include <vector>

#include "workload/stepper.h"

namespace flyball {

/// Updates `parameters` in place from their gradients. SGD with momentum (no dampening) and Adam
/// (Kingma, Ba 2015; betas 0.9 and 0.999, epsilon 1e-8), the formulas of PyTorch.
class FusedOptimizer {
 public:
  FusedOptimizer(std::vector<torch::Tensor> parameters, const StepOptions& options);
  /// Applies the gradients and drops them. Parameters without one are left alone.
  void step();

 private:
  void step_on_host(size_t index, const torch::Tensor& gradient);
  void step_on_device();

  std::vector<torch::Tensor> parameters_, first_, second_;
  Optimizer kind_;
  double learning_rate_;
  float momentum_;
  int64_t steps_ = 0;
};

}  // namespace flyball
