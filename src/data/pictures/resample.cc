#include "data/pictures/resample.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace flyball {
namespace {

using Float4 = float __attribute__((vector_size(16)));

inline __attribute__((always_inline)) Float4 load4(const float* from) {
  Float4 value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// The passes are written once and compiled for several instruction sets: what is marked inline here
// takes on the target of the function that it is inlined into.
inline __attribute__((always_inline)) void vertical_pass(const uint8_t* rows, size_t stride,
                                                         const float* weights, int taps,
                                                         size_t count, float* out) {
  int k = 0;
  for (; k + 4 <= taps; k += 4) {
    const uint8_t *a = rows + k * stride, *b = a + stride, *c = b + stride, *d = c + stride;
    const float wa = weights[k], wb = weights[k + 1], wc = weights[k + 2], wd = weights[k + 3];
    if (k == 0)
      for (size_t i = 0; i < count; ++i) out[i] = wa * a[i] + wb * b[i] + wc * c[i] + wd * d[i];
    else
      for (size_t i = 0; i < count; ++i) out[i] += wa * a[i] + wb * b[i] + wc * c[i] + wd * d[i];
  }
  for (; k < taps; ++k) {
    const uint8_t* a = rows + k * stride;
    const float w = weights[k];
    if (k == 0)
      for (size_t i = 0; i < count; ++i) out[i] = w * a[i];
    else
      for (size_t i = 0; i < count; ++i) out[i] += w * a[i];
  }
}

// With the count of taps known to the compiler (0: any count), the loop over them disappears.
template <int kTaps>
inline __attribute__((always_inline)) void horizontal_pass(const float* row, const Taps& taps,
                                                           float* packed) {
  const int count = kTaps > 0 ? kTaps : taps.taps;
  const float* weights = taps.weights.data();
  const int* first = taps.first.data();
  for (size_t x = 0, outputs = taps.first.size(); x < outputs; ++x, weights += count) {
    const float* source = row + 3 * (first[x] - taps.begin);
    Float4 sum = load4(source) * weights[0];
    for (int k = 1; k < count; ++k) sum += load4(source + 3 * k) * weights[k];
    std::memcpy(packed + 4 * x, &sum, sizeof sum);
  }
}

inline __attribute__((always_inline)) void any_horizontal_pass(const float* row, const Taps& taps,
                                                               float* packed) {
  switch (taps.taps) {
    case 2:
      return horizontal_pass<2>(row, taps, packed);
    case 3:
      return horizontal_pass<3>(row, taps, packed);
    case 4:
      return horizontal_pass<4>(row, taps, packed);
    case 5:
      return horizontal_pass<5>(row, taps, packed);
    default:
      return horizontal_pass<0>(row, taps, packed);
  }
}

inline __attribute__((always_inline)) void to_planes(const float* packed, size_t count,
                                                     const PlaneSink& sink, ptrdiff_t plane,
                                                     float* out) {
  for (int c = 0; c < sink.channels; ++c) {
    const float scale = sink.scale[c], offset = sink.offset[c];
    float* to = out + c * plane;
    for (size_t x = 0; x < count; ++x) to[x] = packed[4 * x + c] * scale + offset;
  }
}

struct Buffers {
  float* row;
  float* packed;
};

inline __attribute__((always_inline)) void all_passes(const uint8_t* pixels, size_t stride,
                                                      const Taps& horizontal, const Taps& vertical,
                                                      const PlaneSink& sink, Buffers buffers) {
  const size_t width = horizontal.first.size(), height = vertical.first.size();
  const size_t count = 3 * static_cast<size_t>(horizontal.end - horizontal.begin);
  const ptrdiff_t step = sink.stride > 0 ? sink.stride : static_cast<ptrdiff_t>(width);
  const ptrdiff_t plane = sink.plane > 0 ? sink.plane : step * static_cast<ptrdiff_t>(height);
  float* out = sink.planes;
  for (size_t y = 0; y < height; ++y, out += step) {
    const uint8_t* rows = pixels + (vertical.first[y] - vertical.begin) * stride;
    vertical_pass(rows, stride, vertical.weights.data() + y * vertical.taps, vertical.taps, count,
                  buffers.row);
    any_horizontal_pass(buffers.row, horizontal, buffers.packed);
    to_planes(buffers.packed, width, sink, plane, out);
  }
}

using Passes = void (*)(const uint8_t*, size_t, const Taps&, const Taps&, const PlaneSink&,
                        Buffers);

void passes_base(const uint8_t* pixels, size_t stride, const Taps& horizontal, const Taps& vertical,
                 const PlaneSink& sink, Buffers buffers) {
  all_passes(pixels, stride, horizontal, vertical, sink, buffers);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void passes_avx2(const uint8_t* pixels, size_t stride,
                                                     const Taps& horizontal, const Taps& vertical,
                                                     const PlaneSink& sink, Buffers buffers) {
  all_passes(pixels, stride, horizontal, vertical, sink, buffers);
}
__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx2,fma"))) void passes_avx512(
    const uint8_t* pixels, size_t stride, const Taps& horizontal, const Taps& vertical,
    const PlaneSink& sink, Buffers buffers) {
  all_passes(pixels, stride, horizontal, vertical, sink, buffers);
}
#endif

// Chosen here rather than by an ifunc, which the thread sanitizer does not survive.
Passes choose_passes() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq"))
    return passes_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return passes_avx2;
#endif
  return passes_base;
}

}  // namespace

void Taps::make(int in_size, int out_size, int from, int count) {
  const double scale = static_cast<double>(in_size) / out_size;
  const double support = std::max(1.0, scale);
  const auto reach = [&](int i) {
    const double center = (from + i + 0.5) * scale;
    const auto low = static_cast<int>(std::floor(center - support + 0.5));
    const auto high = static_cast<int>(std::floor(center + support + 0.5));
    return std::pair(std::max(0, low), std::min(in_size, high));
  };
  begin = reach(0).first, end = reach(count - 1).second, taps = 1;
  for (int i = 0; i < count; ++i) taps = std::max(taps, reach(i).second - reach(i).first);
  first.resize(static_cast<size_t>(count));
  weights.assign(static_cast<size_t>(count) * static_cast<size_t>(taps), 0.0f);
  for (int i = 0; i < count; ++i) {
    const auto [low, high] = reach(i);
    // Near the end the row begins earlier, so that all its taps lie within the source.
    const int start = std::min(low, end - taps);
    float* row = weights.data() + static_cast<ptrdiff_t>(i) * taps - start;
    double sum = 0;
    const auto weight = [&, center = (from + i + 0.5) * scale](int x) {
      return std::max(0.0, 1 - std::abs((x + 0.5 - center) / support));
    };
    for (int x = low; x < high; ++x) sum += weight(x);
    for (int x = low; x < high; ++x) row[x] = static_cast<float>(weight(x) / sum);
    first[static_cast<size_t>(i)] = start;
  }
}

void Taps::mirror() {
  std::reverse(first.begin(), first.end());
  for (size_t i = 0, j = first.size() - 1; i < j; ++i, --j)
    std::swap_ranges(weights.begin() + static_cast<ptrdiff_t>(i * taps),
                     weights.begin() + static_cast<ptrdiff_t>((i + 1) * taps),
                     weights.begin() + static_cast<ptrdiff_t>(j * taps));
}

void Resampler::run(const uint8_t* pixels, size_t stride, const Taps& horizontal,
                    const Taps& vertical, const PlaneSink& sink) {
  static const Passes passes = choose_passes();
  const size_t source = 3 * static_cast<size_t>(horizontal.end - horizontal.begin);
  row_.resize(std::max(row_.size(), source + 4));  // four floats are loaded where three are needed
  packed_.resize(4 * horizontal.first.size());
  passes(pixels, stride, horizontal, vertical, sink, {row_.data(), packed_.data()});
}

}  // namespace flyball
