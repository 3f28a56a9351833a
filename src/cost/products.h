// Convolutions, matrix products and recurrent layers: the sizes that their costs are made of.
#pragma once

#include <optional>

#include "cost/operation.h"

namespace flyball {

/// A product of many rows with one second operand, or of batches with one each.
struct Product {
  double batches = 1;  ///< products beside each other, each with its own operands
  double rows = 0, columns = 0, depth = 0;  ///< [rows × depth] · [depth × columns]
  bool weight = true;                       ///< false: both operands are computed

  double multiplies() const { return batches * rows * columns * depth; }
};

/// A linear layer, a matrix product or a batched one; nothing for any other operator.
std::optional<Product> product_of(const Operation& operation);

struct Convolution {
  double outputs = 0, inputs = 0;  ///< numbers of the whole minibatch
  double taps = 0;  ///< multiplies for each output; of a transposed one for each input
  double weights = 0;
  bool transposed = false, bias = false, depthwise = false;

  double multiplies() const { return taps * (transposed ? inputs : outputs); }
};

std::optional<Convolution> convolution_of(const Operation& operation);

/// lstm_layer: a sequence (steps × rows × inputs), two states, weights of 4·width rows.
struct Recurrent {
  double steps = 0, rows = 0, inputs = 0, width = 0;

  double multiplies() const { return steps * rows * 4 * width * (inputs + width); }
};

std::optional<Recurrent> recurrent_of(const Operation& operation);

}  // namespace flyball
