// A layer table as the simulation reads it: what operators cost at any batch size.
#pragma once

#include <vector>

#include "base/status.h"
#include "cost/layer_table.h"

namespace flyball {

/// a + b · batch size.
struct Affine {
  double a = 0, b = 0;
  double at(double batch) const { return a + b * batch; }
};

/// Operators that follow each other and are alike to the simulation.
struct TwinOperator {
  LayerKind kind = LayerKind::other;
  bool backward = false;
  bool plain = false;  ///< called without a module around it: backward, gradients summed and zeroed
  Affine flop, bytes, kernels;
  Affine outputs;  ///< numbers written: what can be worked on at once
};

struct TwinNetwork {
  Phase phase = Phase::train;
  double only_batch = 0;  ///< the one batch size that it holds for; 0: any
  std::vector<TwinOperator> operators;
  double parameters = 0;
  Affine activation_bytes;  ///< kept for the backward pass
  Affine largest_bytes;     ///< moved by one operator: what serving holds at a time
};

/// Errors: no table, an empty one, tables that at_batch() refuses, figures that are no numbers.
/// `half`: under autocast to half precision; the optimizer stays as it is.
Result<TwinNetwork> make_twin_network(const std::vector<LayerTable>& tables, bool half = false);

}  // namespace flyball
