// The work of a network, as tables and roles carry it to predictors.
#pragma once

namespace flyball {

/// Work of one minibatch of b samples in the phase of the role that has it: fixed + b · the rest.
/// Of the operators by kind (cost/layer_table.h): of some work the kind is not known.
struct Cost {
  double fixed_flop = 0;   ///< an LSTM's, whose graph fixes the batch size
  double flop = 0;         ///< per sample
  double fixed_bytes = 0;  ///< parameters and second operands of MatMul, read once a batch
  double bytes = 0;        ///< per sample
  /// Of the FLOP those of convolution, matrix, attention and recurrent layers.
  double fixed_dense_flop = 0, dense_flop = 0;
  /// Of the FLOP those of depthwise convolutions, which fill few of a GPU's units.
  double fixed_depthwise_flop = 0, depthwise_flop = 0;
  double fixed_kernels = 0, kernels = 0;  ///< launches; none where nobody counted them

  double flop_at(double batch) const { return fixed_flop + batch * flop; }
  double bytes_at(double batch) const { return fixed_bytes + batch * bytes; }
  double dense_flop_at(double batch) const { return fixed_dense_flop + batch * dense_flop; }
  double depthwise_flop_at(double batch) const {
    return fixed_depthwise_flop + batch * depthwise_flop;
  }
  double kernels_at(double batch) const { return fixed_kernels + batch * kernels; }
  bool by_kind() const { return kernels_at(1) > 0; }
  bool operator==(const Cost&) const = default;
};

}  // namespace flyball
