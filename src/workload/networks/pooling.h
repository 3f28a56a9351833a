// Max pooling for training on CPUs. LibTorch's kernel for NCHW is scalar and keeps 8 bytes of index
// for each output: a quarter of a LeNet-5 step, an eighth of a ResNet-18 one.
#pragma once

#include <torch/types.h>

namespace flyball {

/// Square window, zero dilation, floor mode; values and gradients equal at::max_pool2d's. Takes
/// LibTorch's kernel where ours does not apply (other devices, types or layouts).
torch::Tensor max_pool2d(const torch::Tensor& input, int64_t window, int64_t stride,
                         int64_t padding = 0);

}  // namespace flyball
