#include "workload/optimizer.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <cmath>
#include <utility>

#include "workload/announce.h"
#include "workload/memory_recorder.h"

namespace flyball {
namespace {

constexpr int64_t grain = 32768;

}  // namespace

FusedOptimizer::FusedOptimizer(std::vector<torch::Tensor> parameters, const StepOptions& options)
    : parameters_(std::move(parameters)),
      adam_(options.optimizer != Optimizer::sgd),
      momentum_(static_cast<float>(options.momentum)) {
  set_rates(options);
  tell_stage(StepStage::optimizer_state);
  for (const torch::Tensor& parameter : parameters_) {
    first_.push_back(at::zeros_like(parameter.detach()));
    if (adam_) second_.push_back(at::zeros_like(parameter.detach()));
  }
}

void FusedOptimizer::set_rates(const StepOptions& options) {
  learning_rate_ = learning_rate(options);
  decay_ = {weight_decay(options), options.optimizer == Optimizer::adamw};
}

void FusedOptimizer::step() {
  const at::NoGradGuard no_grad;
  ++steps_;
  // To those who look on one operator: numbers, gradients and moments.
  announced(
      adam_ ? "flyball::adam" : "flyball::sgd",
      [this] {
        if (!parameters_.empty() && !parameters_[0].is_cpu())
          step_on_device();
        else
          step_on_host();
        return at::Tensor();
      },
      parameters_, parameters_, first_, second_);
}

void FusedOptimizer::step_on_host() {
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
  float* second = adam_ ? second_[index].data_ptr<float>() : nullptr;
  const auto update = [&](int64_t begin, int64_t end) {
    if (second)
      adam_update(p + begin, g + begin, first + begin, second + begin, end - begin, learning_rate_,
                  steps_, decay_);
    else
      sgd_update(p + begin, g + begin, first + begin, end - begin,
                 static_cast<float>(learning_rate_), momentum_, static_cast<float>(decay_.rate));
  };
  at::parallel_for(0, parameter.numel(), grain, update);
}

void FusedOptimizer::step_on_device() {
  std::vector<torch::Tensor> parameters, gradients, first, second;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    torch::Tensor& gradient = parameters_[i].mutable_grad();
    if (!gradient.defined()) continue;
    parameters.push_back(parameters_[i]);
    gradients.push_back(std::exchange(gradient, torch::Tensor()));
    first.push_back(first_[i]);
    if (adam_) second.push_back(second_[i]);
  }
  if (parameters.empty()) return;
  if (decay_.decoupled)
    at::_foreach_mul_(parameters, 1 - learning_rate_ * decay_.rate);
  else if (decay_.rate > 0)
    at::_foreach_add_(gradients, parameters, decay_.rate);
  if (!adam_) {
    at::_foreach_mul_(first, momentum_);
    at::_foreach_add_(first, gradients, 1);
    at::_foreach_add_(parameters, first, -learning_rate_);
    return;
  }
  const double t = static_cast<double>(steps_);
  constexpr double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  at::_foreach_mul_(first, beta1);
  at::_foreach_add_(first, gradients, 1 - beta1);
  at::_foreach_mul_(second, beta2);
  at::_foreach_addcmul_(second, gradients, gradients, 1 - beta2);
  std::vector<torch::Tensor> scale = at::_foreach_sqrt(second);
  at::_foreach_mul_(scale, 1 / std::sqrt(1 - std::pow(beta2, t)));
  at::_foreach_add_(scale, epsilon);
  at::_foreach_addcdiv_(parameters, first, scale, -learning_rate_ / (1 - std::pow(beta1, t)));
}

}  // namespace flyball
