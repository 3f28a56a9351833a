// The work of a network, as tables and roles carry it to predictors.
#pragma once

namespace flyball {

/// Work of one forward pass at batch size b: fixed + b · the rest.
struct Cost {
  double fixed_flop = 0;   ///< an LSTM's, whose graph fixes the batch size
  double flop = 0;         ///< per sample
  double fixed_bytes = 0;  ///< parameters and second operands of MatMul, read once a batch
  double bytes = 0;        ///< per sample

  double flop_at(double batch) const { return fixed_flop + batch * flop; }
  double bytes_at(double batch) const { return fixed_bytes + batch * bytes; }
  bool operator==(const Cost&) const = default;
};

}  // namespace flyball
