// Optimizer steps as single passes over memory; LibTorch's own take one pass for each operation.
#pragma once

#include <torch/types.h>

#include <vector>

#include "base/descent.h"
#include "workload/stepper.h"

namespace flyball {

/// Updates `parameters` in place from their gradients. SGD with momentum (no dampening), Adam
/// (Kingma, Ba 2015) and AdamW (Loshchilov, Hutter 2019; both with betas 0.9 and 0.999, epsilon
/// 1e-8), the formulas of PyTorch.
class FusedOptimizer {
 public:
  FusedOptimizer(std::vector<torch::Tensor> parameters, const StepOptions& options);
  /// Takes the learning rate and weight decay of these options from the next step on.
  void set_rates(const StepOptions& options);
  /// Applies the gradients and drops them. Parameters without one are left alone.
  void step();

  /// What it remembers, one of each for each parameter: velocity or first moment; second moment
  /// (none for SGD). To be kept and put back in a checkpoint.
  std::vector<torch::Tensor>& first() { return first_; }
  std::vector<torch::Tensor>& second() { return second_; }
  int64_t steps() const { return steps_; }
  void set_steps(int64_t steps) { steps_ = steps; }

 private:
  void step_on_host();
  void step_on_host(size_t index, const torch::Tensor& gradient);
  void step_on_device();

  std::vector<torch::Tensor> parameters_, first_, second_;
  bool adam_;
  double learning_rate_ = 0;
  float momentum_;
  Decay decay_{};
  int64_t steps_ = 0;
};

}  // namespace flyball
