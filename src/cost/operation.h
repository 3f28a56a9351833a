// One operator as a graph has it: what it takes and gives. Rules of counting make a Layer of it
// (counting.h); a step that runs (workload/trace.h) or a file that is read (onnx.h) brings it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flyball {

/// A tensor that an operator takes or gives.
struct Operand {
  std::vector<int64_t> sizes{};
  double bytes = 0;     ///< of memory: a number that is repeated along a dimension counts once
  bool present = true;  ///< false: an argument that may be left out, and is

  double elements() const;
};

/// Named as in LibTorch without namespace and without the "_" of those that write in place:
/// "conv2d", "linear", "add"; what is ours and fused: "norm_silu", "lstm_layer".
struct Operation {
  std::string op;
  std::string name{};             ///< where in the network: "layer1.0.conv1"
  std::string shown_as{};         ///< instead of `op`: "linear_backward" for the product within it
  std::vector<Operand> inputs{};  ///< its tensors in the order of its arguments
  std::vector<Operand> outputs{};
  std::vector<std::vector<double>> numbers{};  ///< its other arguments: {3, 3} of a pool, {1} true
  bool view = false;                           ///< gives what it takes, otherwise shaped
  double parameters = 0;                       ///< numbers of weights that no one before it took
  double activation_bytes = 0;                 ///< its outputs that are kept for the backward pass

  /// A number of an argument; of a shorter list its last.
  double number(size_t place, size_t index, double otherwise) const {
    if (place >= numbers.size() || numbers[place].empty()) return otherwise;
    return numbers[place][std::min(index, numbers[place].size() - 1)];
  }
};

/// Operators in order of execution.
using Graph = std::vector<Operation>;

}  // namespace flyball
