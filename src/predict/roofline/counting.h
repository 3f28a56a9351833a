// FLOPs and DRAM bytes of a network, counted by Pagoda's rules (arXiv 2509.20189): fp32, every
// operator reads its inputs and writes its outputs once, nothing is fused, a convolution always
// adds a bias whose bytes do not count.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "space/axis.h"

namespace flyball {

/// Work of one forward pass at batch size b: fixed + b · the rest.
struct Cost {
  double fixed_flop = 0;   ///< an LSTM's, whose graph fixes the batch size
  double flop = 0;         ///< per sample
  double fixed_bytes = 0;  ///< parameters and second operands of MatMul, read once a batch
  double bytes = 0;        ///< per sample

  double flop_at(double batch) const { return fixed_flop + batch * flop; }
  double bytes_at(double batch) const { return fixed_bytes + batch * bytes; }
  Cost& operator+=(const Cost& other);
  friend Cost operator*(double times, const Cost& cost);
};

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
Cost count_batch_norm(double channels, double out);
Cost count_max_pool(double in, double out, double kernel_area);
Cost count_average_pool(double in, double out, double kernel_area);
Cost count_global_pool(double channels, double in);
Cost count_elementwise(double out);      ///< Add, Sub, Mul, Div
Cost count_move(double in, double out);  ///< Transpose, Concat, Flatten, Identity
Cost count_constant_of_shape(double out);
/// One layer as the authors' code counts it: a multiply-add is one FLOP, the batch size does not
/// scale it.
Cost count_lstm_layer(double inputs, double hidden, double steps);

/// Work of a workload by name; case and punctuation do not matter. Nothing when it is not known.
std::optional<Cost> known_cost(const std::string& workload);
/// The names known_cost() knows.
std::vector<std::string> costed_workloads();

/// FLOPs and bytes of one minibatch. Training is three times the forward pass in both.
struct Work {
  double flop = 0, bytes = 0;
};
Work minibatch_work(const Cost& cost, Phase phase, double batch);

}  // namespace flyball
