#include "base/descent.h"

#include <cmath>

#include "base/simd.h"

namespace flyball {
namespace {

constexpr float beta1 = 0.9f, beta2 = 0.999f, epsilon = 1e-8f;

FLYBALL_WIDE void adam_pass(float* __restrict parameter, const float* __restrict gradient,
                            float* __restrict first, float* __restrict second, int64_t n,
                            float rate, float correction) {
  for (int64_t i = 0; i < n; ++i) {
    first[i] = beta1 * first[i] + (1 - beta1) * gradient[i];
    second[i] = beta2 * second[i] + (1 - beta2) * gradient[i] * gradient[i];
    parameter[i] -= rate * first[i] / (std::sqrt(second[i]) * correction + epsilon);
  }
}

FLYBALL_WIDE void sgd_pass(float* __restrict parameter, const float* __restrict gradient,
                           float* __restrict velocity, int64_t n, float rate, float momentum) {
  for (int64_t i = 0; i < n; ++i) {
    velocity[i] = momentum * velocity[i] + gradient[i];
    parameter[i] -= rate * velocity[i];
  }
}

}  // namespace

void sgd_update(float* parameter, const float* gradient, float* velocity, int64_t n, float rate,
                float momentum) {
  sgd_pass(parameter, gradient, velocity, n, rate, momentum);
}

void adam_update(float* parameter, const float* gradient, float* first, float* second, int64_t n,
                 double rate, int64_t step) {
  const auto t = static_cast<double>(step);
  const double correction1 = 1 - std::pow(double{beta1}, t);
  const double correction2 = 1 - std::pow(double{beta2}, t);
  adam_pass(parameter, gradient, first, second, n, static_cast<float>(rate / correction1),
            static_cast<float>(1 / std::sqrt(correction2)));
}

}  // namespace flyball
