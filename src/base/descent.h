// Optimizer steps as single passes over memory, formulas as in PyTorch.
#pragma once

#include <cstdint>

namespace flyball {

/// SGD with momentum, no dampening: v = momentum·v + g, p -= rate·v.
void sgd_update(float* parameter, const float* gradient, float* velocity, int64_t n, float rate,
                float momentum);

/// Step number `step` (from 1) of Adam (Kingma, Ba 2015), betas 0.9 and 0.999, epsilon 1e-8;
/// `first` and `second` are the running moments, zero before the first step.
void adam_update(float* parameter, const float* gradient, float* first, float* second, int64_t n,
                 double rate, int64_t step);

}  // namespace flyball
