#include "workload/networks/pooling.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "base/simd.h"
#include "workload/announce.h"

namespace flyball {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr int64_t grain = 1 << 15;  // numbers worth a thread

struct Window {
  int64_t size, stride, padding;
  int64_t height, width;          // of the input
  int64_t out_height, out_width;  // of the output

  bool squares() const { return size == 2 && stride == 2 && padding == 0; }
  // Outputs [first, last) whose window holds an input at offset `tap`.
  static inline void range(int64_t tap, int64_t padding, int64_t stride, int64_t in, int64_t out,
                           int64_t& first, int64_t& last) {
    first = std::max<int64_t>(0, (padding - tap + stride - 1) / stride);
    const int64_t reach = in - 1 + padding - tap;
    last = reach < 0 ? 0 : std::min(out, reach / stride + 1);
  }
};

// Taps of one input row into a row of outputs; positions are 32 bits wide, as the values are, so
// that both stay in vectors.
template <int64_t constant_stride>
inline __attribute__((always_inline)) void take_row(const float* row, int64_t row_index,
                                                    float* best, int32_t* arg, int64_t begin,
                                                    int64_t end, const Window& w) {
  const int64_t stride = constant_stride ? constant_stride : w.stride;
  for (int64_t tap = 0; tap < w.size; ++tap) {
    int64_t first = 0, last = 0;
    Window::range(tap, w.padding, stride, w.width, w.out_width, first, last);
    first = std::max(first, begin);
    last = std::min(last, end);
    const float* in = row + tap - w.padding;
    const auto position = static_cast<int32_t>(row_index * w.size + tap);
    for (int64_t x = first; x < last; ++x) {
      const float value = in[x * stride];
      const bool larger = (value > best[x - begin]) | (value != value);
      best[x - begin] = larger ? value : best[x - begin];
      arg[x - begin] = larger ? position : arg[x - begin];
    }
  }
}

FLYBALL_WIDE void pool_plane(const float* in, float* out, uint8_t* positions, const Window& w) {
  constexpr int64_t chunk = 256;
  float best[chunk];
  int32_t arg[chunk];
  for (int64_t y = 0; y < w.out_height; ++y) {
    // Where all is −∞, the first tap inside the input stands.
    const int64_t top = std::max<int64_t>(0, w.padding - y * w.stride);
    for (int64_t begin = 0; begin < w.out_width; begin += chunk) {
      const int64_t n = std::min(chunk, w.out_width - begin);
      for (int64_t i = 0; i < n; ++i) {
        best[i] = -std::numeric_limits<float>::infinity();
        const int64_t left = std::max<int64_t>(0, w.padding - (begin + i) * w.stride);
        arg[i] = static_cast<int32_t>(top * w.size + left);
      }
      for (int64_t tap = top; tap < w.size; ++tap) {
        const int64_t row = y * w.stride + tap - w.padding;
        if (row >= w.height) break;
        if (w.stride == 2)
          take_row<2>(in + row * w.width, tap, best, arg, begin, begin + n, w);
        else
          take_row<0>(in + row * w.width, tap, best, arg, begin, begin + n, w);
      }
      for (int64_t i = 0; i < n; ++i) {
        *out++ = best[i];
        *positions++ = static_cast<uint8_t>(arg[i]);
      }
    }
  }
}

// A value as its bits, and which tap it is.
struct Tap {
  uint32_t bits, position;
};

// The larger, the first of equal ones; what is no number wins. Masks instead of branches: which one
// it will be is hard to foresee.
inline __attribute__((always_inline)) Tap larger_of(Tap a, Tap b) {
  const auto x = std::bit_cast<float>(a.bits), y = std::bit_cast<float>(b.bits);
  const uint32_t mask = 0u - static_cast<uint32_t>((y > x) | (y != y));
  return {a.bits ^ ((a.bits ^ b.bits) & mask), a.position ^ ((a.position ^ b.position) & mask)};
}

// The usual window: 2 × 2, side by side. Small planes are all overhead in the general loop.
FLYBALL_WIDE void pool_squares(const float* in, float* out, uint8_t* positions, const Window& w) {
  for (int64_t y = 0; y < w.out_height; ++y) {
    const float *upper = in + 2 * y * w.width, *lower = upper + w.width;
    for (int64_t x = 0; x < w.out_width; ++x) {
      const auto tap = [&](const float* row, int64_t side, uint32_t position) {
        return Tap{std::bit_cast<uint32_t>(row[2 * x + side]), position};
      };
      const Tap best = larger_of(larger_of(tap(upper, 0, 0), tap(upper, 1, 1)),
                                 larger_of(tap(lower, 0, 2), tap(lower, 1, 3)));
      *out++ = std::bit_cast<float>(best.bits);
      *positions++ = static_cast<uint8_t>(best.position);
    }
  }
}

FLYBALL_WIDE void unpool_squares(const float* gradient, const uint8_t* arg, float* out,
                                 const Window& w) {
  for (int64_t y = 0; y < w.out_height; ++y) {
    float *upper = out + 2 * y * w.width, *lower = upper + w.width;
    for (int64_t x = 0; x < w.out_width; ++x) {
      const uint32_t tap = *arg++;
      const auto slope = std::bit_cast<uint32_t>(*gradient++);
      const auto at = [&](uint32_t position) {
        return std::bit_cast<float>(slope & (0u - static_cast<uint32_t>(tap == position)));
      };
      upper[2 * x] = at(0), upper[2 * x + 1] = at(1);
      lower[2 * x] = at(2), lower[2 * x + 1] = at(3);
    }
    // An odd column and row belong to no window.
    if (2 * w.out_width < w.width) upper[w.width - 1] = lower[w.width - 1] = 0;
  }
  std::fill(out + 2 * w.out_height * w.width, out + w.height * w.width, 0.0f);
}

void unpool_plane(const float* gradient, const uint8_t* arg, float* out, const Window& w) {
  std::fill_n(out, w.height * w.width, 0.0f);
  int64_t offset[256];
  for (int64_t k = 0; k < w.size * w.size; ++k) offset[k] = (k / w.size) * w.width + k % w.size;
  for (int64_t y = 0; y < w.out_height; ++y) {
    float* row = out + (y * w.stride - w.padding) * w.width - w.padding;
    for (int64_t x = 0; x < w.out_width; ++x) row[x * w.stride + offset[*arg++]] += *gradient++;
  }
}

// planes(begin, end) over the N·C planes, in parallel where it pays.
template <class Body>
void over_planes(int64_t planes, int64_t plane_size, const Body& body) {
  at::parallel_for(0, planes, std::max<int64_t>(1, grain / plane_size), body);
}

class MaxPool : public torch::autograd::Function<MaxPool> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& input, int64_t size,
                               int64_t stride, int64_t padding) {
    const auto out_size = [&](int64_t in) { return (in + 2 * padding - size) / stride + 1; };
    const int64_t planes = input.size(0) * input.size(1);
    const Window w{size,
                   stride,
                   padding,
                   input.size(2),
                   input.size(3),
                   out_size(input.size(2)),
                   out_size(input.size(3))};
    torch::Tensor output =
        at::empty({input.size(0), input.size(1), w.out_height, w.out_width}, input.options());
    torch::Tensor arg = at::empty(output.sizes(), input.options().dtype(torch::kByte));
    const float* in = input.data_ptr<float>();
    float* out = output.data_ptr<float>();
    auto* positions = arg.data_ptr<uint8_t>();
    const int64_t in_plane = w.height * w.width, out_plane = w.out_height * w.out_width;
    const auto pool = w.squares() ? pool_squares : pool_plane;
    over_planes(planes, in_plane, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p)
        pool(in + p * in_plane, out + p * out_plane, positions + p * out_plane, w);
    });
    context->saved_data["shape"] = input.sizes();
    context->saved_data["window"] = std::vector<int64_t>{size, stride, padding};
    context->save_for_backward({arg});
    return output;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto shape = context->saved_data["shape"].toIntVector();
    const auto window = context->saved_data["window"].toIntVector();
    const torch::Tensor arg = context->get_saved_variables()[0];
    const torch::Tensor gradient = gradients[0].contiguous();
    const Window w{window[0], window[1], window[2], shape[2], shape[3], arg.size(2), arg.size(3)};
    torch::Tensor result = at::empty(shape, gradient.options());
    const float* g = gradient.data_ptr<float>();
    const auto* positions = arg.data_ptr<uint8_t>();
    float* out = result.data_ptr<float>();
    const int64_t in_plane = w.height * w.width, out_plane = w.out_height * w.out_width;
    const auto unpool = w.squares() ? unpool_squares : unpool_plane;
    over_planes(shape[0] * shape[1], in_plane, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p)
        unpool(g + p * out_plane, positions + p * out_plane, out + p * in_plane, w);
    });
    return {result, {}, {}, {}};
  }
};

}  // namespace

torch::Tensor max_pool2d(const torch::Tensor& input, int64_t window, int64_t stride,
                         int64_t padding) {
  const bool ours = input.is_cpu() && input.dim() == 4 && input.is_contiguous() &&
                    input.scalar_type() == torch::kFloat32 && window <= 15 &&
                    2 * padding <= window && input.size(2) + 2 * padding >= window &&
                    input.size(3) + 2 * padding >= window;
  if (!ours) return at::max_pool2d(input, {window, window}, {stride, stride}, {padding, padding});
  return announced(
      "flyball::max_pool2d", [&] { return MaxPool::apply(input, window, stride, padding); }, input,
      window);
}

}  // namespace flyball
