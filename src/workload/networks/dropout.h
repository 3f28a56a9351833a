// Dropout for training on CPUs. LibTorch draws its numbers one after the other on one thread, makes
// a mask of them and goes over memory three times.
#pragma once

#include <torch/types.h>

namespace flyball {

/// Each number is 0 with probability p, else divided by 1 − p. Which ones depends on one draw from
/// LibTorch's generator and on places alone, not on threads. Takes LibTorch's where ours does not
/// apply (other devices or types); p = 0 gives the input.
torch::Tensor dropout(const torch::Tensor& input, double p);
/// `sum` + dropout(`input`), in one pass.
torch::Tensor add_dropout(const torch::Tensor& sum, const torch::Tensor& input, double p);

}  // namespace flyball
