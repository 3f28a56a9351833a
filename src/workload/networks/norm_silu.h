// Batch normalisation and SiLU for CPUs in one: LibTorch's take 14 passes over memory forward and
// backward, these 5, and keep one tensor less for the backward pass. A detector is made of them.
#pragma once

#include <torch/nn/modules/batchnorm.h>
#include <torch/types.h>

namespace flyball {

/// at::silu(norm(input)) with the statistics of the minibatch, which move the running ones. Takes
/// LibTorch's kernels where ours do not apply: other devices, types or layouts, evaluation.
torch::Tensor norm_silu(torch::nn::BatchNorm2dImpl& norm, const torch::Tensor& input);

}  // namespace flyball
