// What the module gives a perceptron: its passes on LibTorch.
#pragma once

#include "base/status.h"
#include "baselines/nn/mlp.h"

namespace flyball {

/// Training and prediction of Mlp's weights, as they stand in the module. `sizes`: inputs,
/// hidden…, 1.
class MlpKernel {
 public:
  virtual MlpTraining train(const std::vector<int64_t>& sizes, std::vector<float>& weights,
                            const MlpRows& training, const MlpRows& validation,
                            const MlpOptions& options) const = 0;
  virtual std::vector<float> predict(const std::vector<int64_t>& sizes,
                                     const std::vector<float>& weights,
                                     std::span<const float> x) const = 0;

 protected:
  ~MlpKernel() = default;  // lives as long as the module
};

/// The module's, which is loaded at the first call. Errors: no module, no LibTorch.
Result<const MlpKernel*> mlp_kernel();

}  // namespace flyball

/// In the module.
extern "C" const flyball::MlpKernel* flyball_mlp_kernel();
