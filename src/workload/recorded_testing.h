// Weights that a formula gives, here as in torchvision_outputs.py, so that none need to be kept.
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace flyball {

/// In [−1, 1): looks random and is the same in every language.
inline double noise(uint32_t index, uint32_t ordinal) {
  uint32_t x = (index + ordinal * 7919u) * 2654435761u;
  for (int round = 0; round < 2; ++round) x = (x ^ (x >> 16)) * 0x45d9f3bu;
  x ^= x >> 16;
  return x / 2147483648.0 - 1;
}

/// Tensor number `ordinal`: shape(noise) for each of its numbers.
template <class Shape>
void fill(torch::Tensor& tensor, uint32_t ordinal, const Shape& shape) {
  float* data = tensor.data_ptr<float>();
  for (int64_t i = 0; i < tensor.numel(); ++i)
    data[i] = static_cast<float>(shape(noise(static_cast<uint32_t>(i), ordinal)));
}

}  // namespace flyball
