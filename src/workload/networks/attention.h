// Multi-head self-attention (Vaswani et al. 2017).
#pragma once

#include <torch/nn/modules/linear.h>

#include <cstdint>

namespace flyball {

/// softmax(Q·Kᵀ/√d)·V of each head, joined and projected. Query, key and value are projected by one
/// matrix, as in PyTorch's. Dropout on the softmax while training.
class SelfAttention final : public torch::nn::Module {
 public:
  SelfAttention(int64_t width, int64_t heads, double dropout);
  /// `x`: rows × tokens × width; `padding`: padding_scores() of its mask.
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& padding);

 private:
  int64_t heads_;
  double dropout_;
  torch::nn::Linear in_{nullptr}, out_{nullptr};
};

/// What is added to the scores of keys: 0, and far below zero where the mask (rows × tokens) is 0.
/// (rows · heads) × 1 × tokens.
torch::Tensor padding_scores(const torch::Tensor& mask, int64_t heads);

}  // namespace flyball
