// Optimizer steps as single passes over memory, formulas as in PyTorch.
#pragma once

#include <cstdint>

namespace flyball {

/// SGD with momentum, no dampening: v = momentum·v + g + decay·p, p -= rate·v.
void sgd_update(float* parameter, const float* gradient, float* velocity, int64_t n, float rate,
                float momentum, float decay = 0);

/// How Adam draws parameters to zero: as part of the gradient (L2, as Adam has it), or beside it
/// (AdamW; Loshchilov, Hutter 2019).
struct Decay {
  double rate = 0;
  bool decoupled = false;
};

/// Step number `step` (from 1) of Adam (Kingma, Ba 2015), betas 0.9 and 0.999, epsilon 1e-8;
/// `first` and `second` are the running moments, zero before the first step.
void adam_update(float* parameter, const float* gradient, float* first, float* second, int64_t n,
                 double rate, int64_t step, Decay decay = {});

}  // namespace flyball
