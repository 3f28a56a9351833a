// Weights that a formula gives (formula_weights.py), so that recorded outputs need no weights.
#pragma once

#include <torch/nn/module.h>

#include <cmath>
#include <cstdint>
#include <string>

namespace flyball {

/// Number `index` of tensor `ordinal`: in [−1, 1), looks random, the same in every language.
inline double formula_noise(uint32_t index, uint32_t ordinal) {
  uint32_t x = (index + ordinal * 7919u) * 2654435761u;
  for (int round = 0; round < 2; ++round) x = (x ^ (x >> 16)) * 0x45d9f3bu;
  x ^= x >> 16;
  return x / 2147483648.0 - 1;
}

template <class Shape>
void fill_by_formula(torch::Tensor& tensor, uint32_t ordinal, const Shape& shape) {
  float* data = tensor.data_ptr<float>();
  for (int64_t i = 0; i < tensor.numel(); ++i)
    data[i] = static_cast<float>(shape(formula_noise(static_cast<uint32_t>(i), ordinal)));
}

inline void set_formula_weight(const std::string& name, torch::Tensor& tensor, uint32_t ordinal,
                               double gain) {
  if (name.ends_with("num_batches_tracked") || name.ends_with("dfl")) return;
  const double fan = static_cast<double>(tensor.numel()) /
                     static_cast<double>(tensor.dim() > 0 ? tensor.size(0) : 1);
  if (name.ends_with("running_var"))
    fill_by_formula(tensor, ordinal, [](double u) { return 1 + 0.5 * u; });
  else if (tensor.dim() > 1)
    fill_by_formula(tensor, ordinal, [&](double u) { return u * std::sqrt(gain / fan); });
  else if (name.ends_with("weight"))
    fill_by_formula(tensor, ordinal, [](double u) { return 1 + 0.2 * u; });
  else
    fill_by_formula(tensor, ordinal, [](double u) { return 0.1 * u; });
}

/// All parameters, then all buffers, in their order; `gain`: of a layer's variance.
inline void set_formula_weights(torch::nn::Module& network, double gain) {
  const torch::NoGradGuard no_grad;
  uint32_t ordinal = 0;
  for (auto& item : network.named_parameters())
    set_formula_weight(item.key(), item.value(), ++ordinal, gain);
  for (auto& item : network.named_buffers())
    set_formula_weight(item.key(), item.value(), ++ordinal, gain);
}

}  // namespace flyball
