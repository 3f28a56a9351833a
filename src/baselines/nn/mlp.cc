#include "baselines/nn/mlp.h"

#include <cmath>

#include "base/random.h"
#include "baselines/nn/mlp_kernel.h"
#include "module/module.h"

namespace flyball {
namespace {

void fill_glorot(std::span<float> matrix, int64_t in, int64_t out, Random& random) {
  const double limit = std::sqrt(6.0 / static_cast<double>(in + out));
  for (float& weight : matrix) weight = static_cast<float>(random.uniform(-limit, limit));
}

}  // namespace

Result<const MlpKernel*> mlp_kernel() {
  return module_interface<MlpKernel>("flyball_mlp_kernel");
}

Mlp::Mlp(const MlpKernel& kernel, int64_t inputs, const MlpOptions& options) : kernel_(&kernel) {
  sizes_.push_back(inputs);
  sizes_.insert(sizes_.end(), options.hidden.begin(), options.hidden.end());
  sizes_.push_back(1);
  Random random(mix_seed(options.seed, 1));
  for (size_t l = 0; l + 1 < sizes_.size(); ++l) {
    const size_t begin = weights_.size(), count = static_cast<size_t>(sizes_[l] * sizes_[l + 1]);
    weights_.resize(begin + count + static_cast<size_t>(sizes_[l + 1]));
    fill_glorot(std::span(weights_).subspan(begin, count), sizes_[l], sizes_[l + 1], random);
  }
}

void Mlp::renew_head(uint64_t seed) {
  const int64_t in = sizes_[sizes_.size() - 2];
  const auto head = std::span(weights_).last(static_cast<size_t>(in + 1));
  Random random(mix_seed(seed, 2));
  fill_glorot(head.first(static_cast<size_t>(in)), in, 1, random);
  head.back() = 0;
}

MlpTraining Mlp::train(const MlpRows& training, const MlpRows& validation,
                       const MlpOptions& options) {
  return kernel_->train(sizes_, weights_, training, validation, options);
}

std::vector<float> Mlp::predict(std::span<const float> x) const {
  return kernel_->predict(sizes_, weights_, x);
}

}  // namespace flyball
