#include "workload/networks/dropout.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <bit>
#include <cmath>
#include <mutex>

#include "base/simd.h"
#include "workload/announce.h"

namespace flyball {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr int64_t grain = 1 << 15;  // numbers worth a thread

// Which numbers stay: of place i those for which hash(i) is not below the threshold.
struct Draw {
  uint32_t seed, threshold;
  float scale;  ///< of those that stay
};

// The finaliser of MurmurHash3 (Appleby) over a Weyl sequence: 32 bits wide, so that it stays in
// vectors.
inline __attribute__((always_inline)) float factor(uint32_t place, Draw draw) {
  uint32_t h = place * 0x9E3779B1u + draw.seed;
  h = (h ^ (h >> 16)) * 0x85EBCA6Bu;
  h = (h ^ (h >> 13)) * 0xC2B2AE35u;
  h ^= h >> 16;
  const uint32_t stays = 0u - static_cast<uint32_t>(h >= draw.threshold);
  return std::bit_cast<float>(std::bit_cast<uint32_t>(draw.scale) & stays);
}

FLYBALL_WIDE void drop(const float* in, float* out, int64_t begin, int64_t end, Draw draw) {
  for (int64_t i = begin; i < end; ++i) out[i] = in[i] * factor(static_cast<uint32_t>(i), draw);
}

FLYBALL_WIDE void drop_and_add(const float* sum, const float* in, float* out, int64_t begin,
                               int64_t end, Draw draw) {
  for (int64_t i = begin; i < end; ++i)
    out[i] = sum[i] + in[i] * factor(static_cast<uint32_t>(i), draw);
}

torch::Tensor dropped(const torch::Tensor& input, Draw draw) {
  const torch::Tensor in = input.contiguous();
  torch::Tensor result = at::empty(in.sizes(), in.options());
  const float* from = in.data_ptr<float>();
  float* to = result.data_ptr<float>();
  at::parallel_for(0, in.numel(), grain,
                   [&](int64_t begin, int64_t end) { drop(from, to, begin, end, draw); });
  return result;
}

void keep(AutogradContext* context, Draw draw) {
  context->saved_data["seed"] = static_cast<int64_t>(draw.seed);
  context->saved_data["threshold"] = static_cast<int64_t>(draw.threshold);
  context->saved_data["scale"] = static_cast<double>(draw.scale);
}

Draw kept(AutogradContext* context) {
  return {static_cast<uint32_t>(context->saved_data["seed"].toInt()),
          static_cast<uint32_t>(context->saved_data["threshold"].toInt()),
          static_cast<float>(context->saved_data["scale"].toDouble())};
}

class Dropout : public torch::autograd::Function<Dropout> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& input, Draw draw) {
    keep(context, draw);
    return dropped(input, draw);
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    return {dropped(gradients[0], kept(context)), {}};
  }
};

class AddDropout : public torch::autograd::Function<AddDropout> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& sum,
                               const torch::Tensor& input, Draw draw) {
    keep(context, draw);
    const torch::Tensor left = sum.contiguous(), right = input.contiguous();
    torch::Tensor result = at::empty(left.sizes(), left.options());
    const float *a = left.data_ptr<float>(), *b = right.data_ptr<float>();
    float* to = result.data_ptr<float>();
    at::parallel_for(0, left.numel(), grain,
                     [&](int64_t begin, int64_t end) { drop_and_add(a, b, to, begin, end, draw); });
    return result;
  }
  static variable_list backward(AutogradContext* context, variable_list gradients) {
    return {gradients[0], dropped(gradients[0], kept(context)), {}};
  }
};

// 32 bits tell places of up to 4 G numbers apart.
bool is_supported(const torch::Tensor& input) {
  return input.is_cpu() && input.scalar_type() == torch::kFloat32 &&
         input.numel() <= int64_t{1} << 32;
}

Draw draw_seed(double p) {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  const uint32_t seed = at::check_generator<at::CPUGeneratorImpl>(generator)->random();
  return {seed, static_cast<uint32_t>(std::lround(p * 4294967295.0)),
          static_cast<float>(1 / (1 - p))};
}

}  // namespace

torch::Tensor dropout(const torch::Tensor& input, double p) {
  if (p <= 0) return input;
  if (!is_supported(input)) return at::dropout(input, p, true);
  return announced(
      "flyball::dropout", [&] { return Dropout::apply(input, draw_seed(p)); }, input);
}

torch::Tensor add_dropout(const torch::Tensor& sum, const torch::Tensor& input, double p) {
  if (p <= 0) return sum + input;
  if (!is_supported(sum) || !is_supported(input)) return sum + at::dropout(input, p, true);
  return announced(
      "flyball::add_dropout", [&] { return AddDropout::apply(sum, input, draw_seed(p)); }, sum,
      input);
}

}  // namespace flyball
