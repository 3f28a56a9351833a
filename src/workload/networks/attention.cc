#include "workload/networks/attention.h"

#include <ATen/Functions.h>

#include <cmath>

#include "workload/networks/dropout.h"

namespace flyball {

SelfAttention::SelfAttention(int64_t width, int64_t heads, double dropout)
    : heads_(heads), dropout_(dropout) {
  in_ = register_module("in", torch::nn::Linear(width, 3 * width));
  out_ = register_module("out", torch::nn::Linear(width, width));
}

torch::Tensor SelfAttention::forward(const torch::Tensor& x, const torch::Tensor& padding) {
  const int64_t rows = x.size(0), tokens = x.size(1), width = x.size(2), each = width / heads_;
  const torch::Tensor parts = in_->forward(x)
                                  .view({rows, tokens, 3, heads_, each})
                                  .permute({2, 0, 3, 1, 4})
                                  .reshape({3, rows * heads_, tokens, each});
  const torch::Tensor query = parts[0], key = parts[1], value = parts[2];
  const torch::Tensor scores =
      at::baddbmm(padding, query, key.transpose(1, 2), 1, 1 / std::sqrt(static_cast<double>(each)));
  const torch::Tensor weights = dropout(at::softmax(scores, -1), is_training() ? dropout_ : 0);
  const torch::Tensor joined = at::bmm(weights, value)
                                   .view({rows, heads_, tokens, each})
                                   .transpose(1, 2)
                                   .reshape({rows, tokens, width});
  return out_->forward(joined);
}

torch::Tensor padding_scores(const torch::Tensor& mask, int64_t heads) {
  const int64_t rows = mask.size(0), tokens = mask.size(1);
  return at::zeros({rows, tokens}, mask.options().dtype(torch::kFloat32))
      .masked_fill_(mask == 0, -1e9)
      .unsqueeze(1)
      .expand({rows, heads, tokens})
      .reshape({rows * heads, 1, tokens});
}

}  // namespace flyball
