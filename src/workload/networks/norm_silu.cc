#include "workload/networks/norm_silu.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <algorithm>
#include <cmath>

#include "base/simd.h"
#include "workload/announce.h"
#include "workload/networks/gate_math.h"

namespace flyball {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// N planes of `plane` numbers for each of C channels, as NCHW lies in memory.
struct Planes {
  int64_t samples, channels, plane;
  int64_t numbers() const { return samples * plane; }  // of a channel
  int64_t offset(int64_t sample, int64_t channel) const {
    return (sample * channels + channel) * plane;
  }
};

constexpr int64_t chunk = 2048;  // numbers that stay in the first cache between two looks

constexpr int64_t lanes = 16;  // partial sums, so that a sum stays in vectors

inline __attribute__((always_inline)) float total(const float* sums) {
  float sum = 0;
  for (int64_t k = 0; k < lanes; ++k) sum += sums[k];
  return sum;
}

// Mean and sum of squared deviations of up to `chunk` numbers.
struct Moments {
  float mean, squares;
};
FLYBALL_WIDE Moments moments_of(const float* x, int64_t count) {
  float sums[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (int64_t k = 0; k < lanes; ++k) sums[k] += x[i + k];
  float sum = total(sums);
  for (; i < count; ++i) sum += x[i];
  const float mean = sum / static_cast<float>(count);
  std::fill(sums, sums + lanes, 0.0f);
  for (i = 0; i + lanes <= count; i += lanes)
    for (int64_t k = 0; k < lanes; ++k) sums[k] += (x[i + k] - mean) * (x[i + k] - mean);
  float squares = total(sums);
  for (; i < count; ++i) squares += (x[i] - mean) * (x[i] - mean);
  return {mean, squares};
}

// y = silu(scale · x + shift)
FLYBALL_WIDE void activate(const float* x, float* y, int64_t count, float scale, float shift) {
  for (int64_t i = 0; i < count; ++i) {
    const float z = x[i] * scale + shift;
    y[i] = z * fast_sigmoid(z);
  }
}

struct Slopes {
  float sum, product;  ///< of the slopes at the normalised numbers; of them with x − mean
};
inline __attribute__((always_inline)) float slope_at(float x, float gradient, float scale,
                                                     float shift) {
  const float z = x * scale + shift, s = fast_sigmoid(z);
  return gradient * s * (1.0f + z * (1.0f - s));
}
FLYBALL_WIDE Slopes slopes_of(const float* x, const float* gradient, int64_t count, float scale,
                              float shift, float mean) {
  float sums[lanes] = {}, products[lanes] = {};
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (int64_t k = 0; k < lanes; ++k) {
      const float slope = slope_at(x[i + k], gradient[i + k], scale, shift);
      sums[k] += slope;
      products[k] += slope * (x[i + k] - mean);
    }
  Slopes slopes{total(sums), total(products)};
  for (; i < count; ++i) {
    const float slope = slope_at(x[i], gradient[i], scale, shift);
    slopes.sum += slope;
    slopes.product += slope * (x[i] - mean);
  }
  return slopes;
}

// out = scale · (slope − mean slope − (x − mean) · lean)
FLYBALL_WIDE void to_input(const float* x, const float* gradient, float* out, int64_t count,
                           float scale, float shift, float mean, float mean_slope, float lean) {
  for (int64_t i = 0; i < count; ++i)
    out[i] =
        scale * (slope_at(x[i], gradient[i], scale, shift) - mean_slope - (x[i] - mean) * lean);
}

// body(begin, count) over the numbers of a channel, each time up to `chunk` within a plane.
template <class Body>
void over_channel(const Planes& planes, int64_t channel, const Body& body) {
  for (int64_t n = 0; n < planes.samples; ++n) {
    const int64_t begin = planes.offset(n, channel);
    for (int64_t i = 0; i < planes.plane; i += chunk)
      body(begin + i, std::min(chunk, planes.plane - i));
  }
}

template <class Body>
void over_channels(const Planes& planes, const Body& body) {
  at::parallel_for(0, planes.channels, std::max<int64_t>(1, 32768 / planes.numbers()),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t c = begin; c < end; ++c) body(c);
                   });
}

// Chunks are joined in double precision (Chan et al. 1979): one pass over memory, no cancellation.
void channel_moments(const float* x, const Planes& planes, int64_t channel, double& mean,
                     double& variance) {
  double count = 0, squares = 0;
  mean = 0;
  over_channel(planes, channel, [&](int64_t begin, int64_t size) {
    const Moments part = moments_of(x + begin, size);
    const double more = static_cast<double>(size), apart = part.mean - mean;
    mean += apart * more / (count + more);
    squares += part.squares + apart * apart * count * more / (count + more);
    count += more;
  });
  variance = squares / count;
}

Planes planes_of(const torch::Tensor& input) {
  return {input.size(0), input.size(1), input.size(2) * input.size(3)};
}

// Of a channel: what a number is multiplied by, and what is added, to normalise it.
struct Affine {
  Affine(const torch::Tensor& weight, const torch::Tensor& bias, const torch::Tensor& mean,
         const torch::Tensor& inverse, int64_t c)
      : at(mean.data_ptr<float>()[c]),
        scale(weight.data_ptr<float>()[c] * inverse.data_ptr<float>()[c]),
        shift(bias.data_ptr<float>()[c] - at * scale) {}
  float at, scale, shift;
};

class NormSilu : public torch::autograd::Function<NormSilu> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& input,
                               const torch::Tensor& weight, const torch::Tensor& bias,
                               const torch::Tensor& running_mean,
                               const torch::Tensor& running_variance, double momentum,
                               double epsilon) {
    const Planes planes = planes_of(input);
    torch::Tensor output = at::empty(input.sizes(), input.options());
    torch::Tensor mean = at::empty({planes.channels}, input.options());
    torch::Tensor inverse = at::empty({planes.channels}, input.options());
    const float* x = input.data_ptr<float>();
    float* y = output.data_ptr<float>();
    float *means = mean.data_ptr<float>(), *inverses = inverse.data_ptr<float>();
    float* moving_mean = running_mean.data_ptr<float>();
    float* moving_variance = running_variance.data_ptr<float>();
    const double count = static_cast<double>(planes.numbers());
    over_channels(planes, [&](int64_t c) {
      double own_mean = 0, variance = 0;
      channel_moments(x, planes, c, own_mean, variance);
      means[c] = static_cast<float>(own_mean);
      inverses[c] = static_cast<float>(1 / std::sqrt(variance + epsilon));
      const auto move = [momentum](float& running, double now) {
        running = static_cast<float>((1 - momentum) * running + momentum * now);
      };
      move(moving_mean[c], own_mean);
      move(moving_variance[c], variance * count / (count - 1));
      const Affine affine(weight, bias, mean, inverse, c);
      over_channel(planes, c, [&](int64_t begin, int64_t size) {
        activate(x + begin, y + begin, size, affine.scale, affine.shift);
      });
    });
    context->save_for_backward({input, weight, bias, mean, inverse});
    return output;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const torch::Tensor &input = saved[0], &weight = saved[1], &bias = saved[2], &mean = saved[3];
    const torch::Tensor& inverse = saved[4];
    const Planes planes = planes_of(input);
    const torch::Tensor gradient = gradients[0].contiguous();
    torch::Tensor to_x = at::empty(input.sizes(), input.options());
    torch::Tensor to_weight = at::empty(weight.sizes(), weight.options());
    torch::Tensor to_bias = at::empty(bias.sizes(), bias.options());
    const float *x = input.data_ptr<float>(), *g = gradient.data_ptr<float>();
    float *out = to_x.data_ptr<float>(), *weights = to_weight.data_ptr<float>();
    float *biases = to_bias.data_ptr<float>(), *inverses = inverse.data_ptr<float>();
    const double count = static_cast<double>(planes.numbers());
    over_channels(planes, [&](int64_t c) {
      const Affine affine(weight, bias, mean, inverse, c);
      double sum = 0, product = 0;
      over_channel(planes, c, [&](int64_t begin, int64_t size) {
        const Slopes part =
            slopes_of(x + begin, g + begin, size, affine.scale, affine.shift, affine.at);
        sum += part.sum;
        product += part.product;
      });
      const double own = inverses[c];
      biases[c] = static_cast<float>(sum);
      weights[c] = static_cast<float>(product * own);
      const auto mean_slope = static_cast<float>(sum / count);
      const auto lean = static_cast<float>(product * own * own / count);
      over_channel(planes, c, [&](int64_t begin, int64_t size) {
        to_input(x + begin, g + begin, out + begin, size, affine.scale, affine.shift, affine.at,
                 mean_slope, lean);
      });
    });
    return {to_x, to_weight, to_bias, {}, {}, {}, {}};
  }
};

}  // namespace

torch::Tensor norm_silu(torch::nn::BatchNorm2dImpl& norm, const torch::Tensor& input) {
  const bool ours = norm.is_training() && input.is_cpu() && input.dim() == 4 &&
                    input.is_contiguous() && input.scalar_type() == torch::kFloat32 &&
                    input.size(0) * input.size(2) * input.size(3) > 1;
  if (!ours) {
    torch::Tensor x = norm.forward(input);
    return torch::GradMode::is_enabled() ? at::silu(x) : at::silu_(x);
  }
  return announced(
      "flyball::norm_silu",
      [&] {
        return NormSilu::apply(input, norm.weight, norm.bias, norm.running_mean, norm.running_var,
                               norm.options.momentum().value_or(0.1), norm.options.eps());
      },
      input, norm.weight, norm.bias);
}

}  // namespace flyball
