#include "base/descent.h"

#include <cmath>

#include "base/simd.h"

namespace flyball {
namespace {

constexpr float beta1 = 0.9f, beta2 = 0.999f, epsilon = 1e-8f;

struct AdamPass {
  float rate, correction;  ///< of the moments, which begin at zero
  float decay;             ///< that joins the gradient
  float keep;              ///< of a parameter, before its step
};

FLYBALL_WIDE void adam_pass(float* __restrict parameter, const float* __restrict gradient,
                            float* __restrict first, float* __restrict second, int64_t n,
                            AdamPass pass) {
  for (int64_t i = 0; i < n; ++i) {
    const float g = gradient[i] + pass.decay * parameter[i];
    first[i] = beta1 * first[i] + (1 - beta1) * g;
    second[i] = beta2 * second[i] + (1 - beta2) * g * g;
    parameter[i] = pass.keep * parameter[i] -
                   pass.rate * first[i] / (std::sqrt(second[i]) * pass.correction + epsilon);
  }
}

FLYBALL_WIDE void sgd_pass(float* __restrict parameter, const float* __restrict gradient,
                           float* __restrict velocity, int64_t n, float rate, float momentum,
                           float decay) {
  for (int64_t i = 0; i < n; ++i) {
    velocity[i] = momentum * velocity[i] + (gradient[i] + decay * parameter[i]);
    parameter[i] -= rate * velocity[i];
  }
}

}  // namespace

void sgd_update(float* parameter, const float* gradient, float* velocity, int64_t n, float rate,
                float momentum, float decay) {
  sgd_pass(parameter, gradient, velocity, n, rate, momentum, decay);
}

void adam_update(float* parameter, const float* gradient, float* first, float* second, int64_t n,
                 double rate, int64_t step, Decay decay) {
  const auto t = static_cast<double>(step);
  const double correction1 = 1 - std::pow(double{beta1}, t);
  const double correction2 = 1 - std::pow(double{beta2}, t);
  adam_pass(parameter, gradient, first, second, n,
            {.rate = static_cast<float>(rate / correction1),
             .correction = static_cast<float>(1 / std::sqrt(correction2)),
             .decay = decay.decoupled ? 0 : static_cast<float>(decay.rate),
             .keep = decay.decoupled ? static_cast<float>(1 - rate * decay.rate) : 1});
}

}  // namespace flyball
