// FLOPs and DRAM bytes of a network, counted by Pagoda's rules (arXiv 2509.20189): fp32, every
// operator reads its inputs and writes its outputs once, nothing is fused, a convolution always
// adds a bias whose bytes do not count.
#pragma once

#include "space/axis.h"
#include "space/cost.h"

namespace flyball {

Cost& operator+=(Cost& sum, const Cost& other);
Cost operator*(double times, const Cost& cost);

/// Square images and kernels: `size` is the input's height, `padding` keeps size/stride.
struct ConvShape {
  double in_channels, out_channels, kernel, stride, size, groups = 1;
  double out_size() const;
};
Cost count_conv(const ConvShape& shape);
Cost count_gemm(double in, double out);
/// A flattened to [m, k] times B [k, n]; B counts once, unbatched.
Cost count_matmul(double m, double n, double k);
enum class Activation { relu, sigmoid, hard_sigmoid, tanh, swish, hard_swish, softmax, erf };
Cost count_activation(Activation kind, double out);
Cost count_max_pool(double in, double out, double kernel_area);
Cost count_global_pool(double channels, double in);
Cost count_elementwise(double out);      ///< Add, Sub, Mul, Div
Cost count_move(double in, double out);  ///< Transpose, Concat, Flatten, Identity
/// One layer as the authors' code counts it: a multiply-add is one FLOP, the batch size does not
/// scale it.
Cost count_lstm_layer(double inputs, double hidden, double steps);

/// FLOPs and bytes of one minibatch. Training is three times the forward pass in both.
struct Work {
  double flop = 0, bytes = 0;
};
Work minibatch_work(const Cost& cost, Phase phase, double batch);

}  // namespace flyball
