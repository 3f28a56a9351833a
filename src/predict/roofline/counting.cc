#include "predict/roofline/counting.h"

#include <array>
#include <cmath>

namespace flyball {
namespace {

constexpr double word = 4;  // bytes of an fp32 element

}  // namespace

Cost& operator+=(Cost& sum, const Cost& other) {
  sum.fixed_flop += other.fixed_flop;
  sum.flop += other.flop;
  sum.fixed_bytes += other.fixed_bytes;
  sum.bytes += other.bytes;
  return sum;
}

Cost operator*(double times, const Cost& cost) {
  return {times * cost.fixed_flop, times * cost.flop, times * cost.fixed_bytes, times * cost.bytes};
}

double ConvShape::out_size() const {
  return std::ceil(size / stride);
}

Cost count_conv(const ConvShape& shape) {
  const double side = shape.out_size();
  const double in = shape.in_channels * shape.size * shape.size;
  const double out = shape.out_channels * side * side;
  const double taps = shape.in_channels / shape.groups * shape.kernel * shape.kernel;
  return {0, 2 * out * taps + out, word * shape.out_channels * taps, word * (in + out)};
}

Cost count_gemm(double in, double out) {
  return {0, 2 * in * out, word * in * out, word * (in + out)};
}

Cost count_matmul(double m, double n, double k) {
  return {0, 2 * m * n * k, word * k * n, word * (m * k + m * n)};
}

Cost count_activation(Activation kind, double out) {
  constexpr std::array<double, 8> flops = {1, 4, 4, 5, 5, 5, 7, 8};
  return {0, flops[static_cast<size_t>(kind)] * out, 0, 2 * word * out};
}

Cost count_max_pool(double in, double out, double kernel_area) {
  return {0, (kernel_area - 1) * out, 0, word * (in + out)};
}

Cost count_global_pool(double channels, double in) {
  return {0, in, 0, word * (in + channels)};
}

Cost count_elementwise(double out) {
  return {0, out, 0, 3 * word * out};
}

Cost count_move(double in, double out) {
  return {0, 0, 0, word * (in + out)};
}

Cost count_lstm_layer(double inputs, double hidden, double steps) {
  return {
      steps * (4 * inputs * hidden + 4 * hidden * hidden + 4 * hidden + 17 * hidden + 3 * hidden),
      0, word * (4 * hidden * (inputs + hidden) + steps * (inputs + hidden) + 2 * hidden), 0};
}

Work minibatch_work(const Cost& cost, Phase phase, double batch) {
  const double passes = phase == Phase::train ? 3 : 1;
  return {passes * cost.flop_at(batch), passes * cost.bytes_at(batch)};
}

}  // namespace flyball
