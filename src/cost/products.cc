#include "cost/products.h"

#include <algorithm>

namespace flyball {
namespace {

double at(const Operand& operand, int64_t place) {
  const auto rank = static_cast<int64_t>(operand.sizes.size());
  const int64_t index = place < 0 ? rank + place : place;
  return index >= 0 && index < rank ? static_cast<double>(operand.sizes[index]) : 1;
}

bool has_tensors(const Operation& operation, size_t inputs) {
  return operation.inputs.size() >= inputs && !operation.outputs.empty() &&
         std::all_of(operation.inputs.begin(),
                     operation.inputs.begin() + static_cast<std::ptrdiff_t>(inputs),
                     [](const Operand& operand) { return operand.present; });
}

// [… × depth] · [depth × columns], with one second operand.
Product flat(const Operand& first, double columns) {
  const double depth = at(first, -1);
  return {1, depth > 0 ? first.elements() / depth : 0, columns, depth, true};
}

Product batched(const Operand& first, const Operand& second) {
  const double rows = at(first, -2), depth = at(first, -1);
  const double each = rows * depth;
  return {each > 0 ? first.elements() / each : 0, rows, at(second, -1), depth, false};
}

}  // namespace

std::optional<Product> product_of(const Operation& operation) {
  const std::string& op = operation.op;
  const auto& in = operation.inputs;
  if (op == "linear" && has_tensors(operation, 2))
    return flat(in[0], in[1].elements() / at(in[1], -1));
  if ((op == "mm" || op == "mv" || op == "dot") && has_tensors(operation, 2))
    return flat(in[0], in[1].elements() / at(in[0], -1));
  if ((op == "addmm" || op == "addmv") && has_tensors(operation, 3))
    return flat(in[1], in[2].elements() / at(in[1], -1));
  if (op == "bmm" && has_tensors(operation, 2)) return batched(in[0], in[1]);
  if (op == "baddbmm" && has_tensors(operation, 3)) return batched(in[1], in[2]);
  // Of a file: the second operand is a weight, or both are batches.
  if (op == "matmul" && has_tensors(operation, 2))
    return in[1].sizes.size() <= 2 ? flat(in[0], in[1].elements() / at(in[0], -1))
                                   : batched(in[0], in[1]);
  return {};
}

std::optional<Convolution> convolution_of(const Operation& operation) {
  const std::string& op = operation.op;
  if (!op.starts_with("conv") || op.ends_with("backward") || !has_tensors(operation, 2)) return {};
  const auto& in = operation.inputs;
  const Operand& out = operation.outputs.front();
  Convolution conv;
  conv.transposed = op.starts_with("conv_transpose");
  conv.inputs = in[0].elements();
  conv.outputs = out.elements();
  conv.weights = in[1].elements();
  conv.bias = in.size() > 2 && in[2].present;
  // Weights are out × in/groups × window, of a transposed one in × out/groups × window.
  conv.taps = conv.weights / at(in[1], 0);
  const double channels = at(in[0], 1);
  const double groups = conv.transposed ? at(out, 1) / at(in[1], 1) : channels / at(in[1], 1);
  conv.depthwise = groups > 1 && groups == channels;
  return conv;
}

std::optional<Recurrent> recurrent_of(const Operation& operation) {
  if (!operation.op.starts_with("lstm_layer") || !has_tensors(operation, 5)) return {};
  const Operand& sequence = operation.inputs[0];
  return Recurrent{at(sequence, 0), at(sequence, 1), at(sequence, 2), at(operation.inputs[4], 1)};
}

}  // namespace flyball
