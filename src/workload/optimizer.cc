#include "workload/optimizer.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <cmath>

#include "workload/simd.h"

namespace flyball {
namespace {

constexpr float beta1 = 0.9f, beta2 = 0.999f, epsilon = 1e-8f;
constexpr int64_t grain = 32768;

FLYBALL_WIDE void sgd(float* __restrict parameter, const float* __restrict gradient,
                      float* __restrict velocity, int64_t n, float rate, float momentum) {
  for (int64_t i = 0; i < n; ++i) {
    velocity[i] = momentum * velocity[i] + gradient[i];
    parameter[i] -= rate * velocity[i];
  }
}

FLYBALL_WIDE void adam(float* __restrict parameter, const float* __restrict gradient,
                       float* __restrict first, float* __restrict second, int64_t n, float rate,
                       float correction) {
  for (int64_t i = 0; i < n; ++i) {
    first[i] = beta1 * first[i] + (1 - beta1) * gradient[i];
    second[i] = beta2 * second[i] + (1 - beta2) * gradient[i] * gradient[i];
    parameter[i] -= rate * first[i] / (std::sqrt(second[i]) * correction + epsilon);
  }
}

}  // namespace

FusedOptimizer::FusedOptimizer(std::vector<torch::Tensor> parameters, const StepOptions& options)
    : parameters_(std::move(parameters)),
      kind_(options.optimizer),
      learning_rate_(static_cast<float>(options.learning_rate)),
      momentum_(static_cast<float>(options.momentum)) {
  for (const torch::Tensor& parameter : parameters_) {
    first_.push_back(at::zeros_like(parameter.detach()));
    if (kind_ == Optimizer::adam) second_.push_back(at::zeros_like(parameter.detach()));
  }
}

void FusedOptimizer::step() {
  const at::NoGradGuard no_grad;
  ++steps_;
  if (!parameters_.empty() && !parameters_[0].is_cpu()) return step_on_device();
  for (size_t i = 0; i < parameters_.size(); ++i) {
    torch::Tensor& gradient = parameters_[i].mutable_grad();
    if (gradient.defined()) step_on_host(i, gradient);
    gradient.reset();
  }
}

void FusedOptimizer::step_on_host(size_t index, const torch::Tensor& gradient) {
  torch::Tensor& parameter = parameters_[index];
  // One flat pass needs both in the same order in memory.
  const torch::Tensor same = gradient.strides() == parameter.strides()
                                 ? gradient
                                 : at::empty_like(parameter).copy_(gradient);
  float* p = parameter.data_ptr<float>();
  const float* g = same.data_ptr<float>();
  float* first = first_[index].data_ptr<float>();
  float* second = kind_ == Optimizer::adam ? second_[index].data_ptr<float>() : nullptr;
  const double t = static_cast<double>(steps_);
  const auto rate = static_cast<float>(learning_rate_ / (1 - std::pow(double{beta1}, t)));
  const auto correction = static_cast<float>(1 / std::sqrt(1 - std::pow(double{beta2}, t)));
  const auto update = [&](int64_t begin, int64_t end) {
    if (second)
      adam(p + begin, g + begin, first + begin, second + begin, end - begin, rate, correction);
    else
      sgd(p + begin, g + begin, first + begin, end - begin, learning_rate_, momentum_);
  };
  at::parallel_for(0, parameter.numel(), grain, update);
}

void FusedOptimizer::step_on_device() {
  std::vector<torch::Tensor> parameters, gradients, first, second;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    torch::Tensor& gradient = parameters_[i].mutable_grad();
    if (!gradient.defined()) continue;
    parameters.push_back(parameters_[i]);
    gradients.push_back(std::move(gradient));
    gradient.reset();
    first.push_back(first_[i]);
    if (kind_ == Optimizer::adam) second.push_back(second_[i]);
  }
  if (parameters.empty()) return;
  if (kind_ == Optimizer::sgd) {
    at::_foreach_mul_(first, momentum_);
    at::_foreach_add_(first, gradients, 1);
    at::_foreach_add_(parameters, first, -learning_rate_);
    return;
  }
  const double t = static_cast<double>(steps_);
  at::_foreach_mul_(first, beta1);
  at::_foreach_add_(first, gradients, 1 - beta1);
  at::_foreach_mul_(second, beta2);
  at::_foreach_addcmul_(second, gradients, gradients, 1 - beta2);
  std::vector<torch::Tensor> scale = at::_foreach_sqrt(second);
  at::_foreach_mul_(scale, 1 / std::sqrt(1 - std::pow(double{beta2}, t)));
  at::_foreach_add_(scale, epsilon);
  at::_foreach_addcdiv_(parameters, first, scale,
                        -learning_rate_ / (1 - std::pow(double{beta1}, t)));
}

}  // namespace flyball
