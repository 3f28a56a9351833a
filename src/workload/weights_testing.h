// Weights that a formula gives, equal in Python (torchvision_outputs.py): none need to be kept.
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace flyball {

/// Number `index` of those of tensor `ordinal`, in [-1, 1).
inline double noise(uint32_t index, uint32_t ordinal) {
  uint32_t x = (index + ordinal * 7919u) * 2654435761u;
  for (int round = 0; round < 2; ++round) x = (x ^ (x >> 16)) * 0x45d9f3bu;
  x ^= x >> 16;
  return x / 2147483648.0 - 1;
}

/// Fills a contiguous tensor with shape(noise).
template <class Shape>
void fill(torch::Tensor& tensor, uint32_t ordinal, const Shape& shape) {
  float* data = tensor.data_ptr<float>();
  for (int64_t i = 0; i < tensor.numel(); ++i)
    data[i] = static_cast<float>(shape(noise(static_cast<uint32_t>(i), ordinal)));
}

}  // namespace flyball
