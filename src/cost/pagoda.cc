// The rules `pagoda`.
#include <algorithm>
#include <map>

#include "cost/counting.h"
#include "cost/products.h"

namespace flyball {
namespace {

constexpr double kWord = 4;  // bytes of an fp32 number

// What an operator takes at batch size b: fixed + b · the rest.
struct Count {
  LayerKind kind = LayerKind::other;
  double fixed_flop = 0, flop = 0, fixed_bytes = 0, bytes = 0;

  Count& operator+=(const Count& other) {
    fixed_flop += other.fixed_flop;
    flop += other.flop;
    fixed_bytes += other.fixed_bytes;
    bytes += other.bytes;
    return *this;
  }
};

// Add, Sub, Mul, Div
Count element_wise(double out) {
  return {LayerKind::elementwise, 0, out, 0, 3 * kWord * out};
}
Count activation(double flop, double out) {
  return {LayerKind::elementwise, 0, flop * out, 0, 2 * kWord * out};
}
// Transpose, Concat, Flatten, Identity
Count moved_numbers(double in, double out) {
  return {LayerKind::move, 0, 0, 0, kWord * (in + out)};
}

const std::map<std::string_view, double>& activations() {
  static const std::map<std::string_view, double> flop = {
      {"relu", 1},  {"relu6", 1},     {"sigmoid", 4}, {"hardsigmoid", 4}, {"tanh", 5},
      {"swish", 5}, {"hardswish", 5}, {"softmax", 7}, {"log_softmax", 7}, {"erf", 8}};
  return flop;
}

double all_elements(const std::vector<Operand>& operands) {
  double sum = 0;
  for (const Operand& operand : operands) sum += operand.elements();
  return sum;
}

Count count_convolution(const Convolution& conv) {
  return {conv.depthwise ? LayerKind::depthwise : LayerKind::convolution, 0,
          2 * conv.multiplies() + conv.outputs, kWord * conv.weights,
          kWord * (conv.inputs + conv.outputs)};
}

Count pagoda_product(const Operation& operation, const Product& product) {
  const double rows = product.batches * product.rows, out = rows * product.columns;
  Count count{product.weight ? LayerKind::matrix : LayerKind::attention, 0,
              2 * rows * product.columns * product.depth, kWord * product.depth * product.columns,
              kWord * (rows * product.depth + out)};
  if (operation.op != "baddbmm") return count;
  if (operation.number(0, 0, 1) != 0) count += element_wise(out);  // the mask that is added
  if (operation.number(1, 0, 1) != 1) count += element_wise(out);  // the scale
  return count;
}

// As the authors' code has it: gates 4·(sums) + 17, the cell 3.
Count pagoda_recurrent(const Recurrent& lstm) {
  const double width = lstm.width, inputs = lstm.inputs;
  const double step = 4 * inputs * width + 4 * width * width + 4 * width + 17 * width + 3 * width;
  return {LayerKind::recurrent, lstm.steps * step, 0,
          kWord * (4 * width * (inputs + width) + lstm.steps * (inputs + width) + 2 * width), 0};
}

Count count_pool(const Operation& operation, double in, double out) {
  const double taps = operation.number(0, 0, 1) * operation.number(0, 1, 1);
  const double each = operation.op.starts_with("max") ? taps - 1 : taps;
  return {LayerKind::pooling, 0, each * out, 0, kWord * (in + out)};
}

// What a detector says of each scale's boxes, then of its classes. Exported, both are joined, then
// the scales; the bins of the boxes' sides are transposed and go through a softmax and a
// convolution by their fixed numbers; of distances come corners, of these middles and sizes; these
// are joined with the classes' sigmoid. A product by the strides has no room in the published
// totals.
Count count_detector(const Operation& decode) {
  const size_t scales = decode.inputs.size() / 2;
  double box = 0, classes = 0;
  for (size_t i = 0; i < decode.inputs.size(); ++i)
    (i < scales ? box : classes) += decode.inputs[i].elements();
  constexpr double sides = 4;
  const bool shaped = scales > 0 && decode.inputs[0].sizes.size() == 4;
  const double bins = shaped ? static_cast<double>(decode.inputs[0].sizes[1]) / sides : 1;
  if (!(bins > 0)) return {};
  const double distances = box / bins;
  Count count = moved_numbers(box + classes, box + classes);
  count += moved_numbers(box + classes, box + classes);
  count += moved_numbers(box, box);
  count += activation(7, box);
  count += {LayerKind::convolution, 0, (2 * bins + 1) * distances, kWord * bins,
            kWord * (box + distances)};
  for (int i = 0; i < 5; ++i) count += element_wise(distances / 2);  // each of x and y
  count += moved_numbers(distances, distances);
  count += activation(4, classes);
  return count += moved_numbers(distances + classes, distances + classes);
}

Count count_simple(const Operation& operation, double in, double out) {
  const std::string& op = operation.op;
  if (const auto found = activations().find(op); found != activations().end())
    return activation(found->second, out);
  // Exported as a sigmoid and a product, and as an erf with four around it.
  if (op == "silu") {
    Count count = activation(4, out);
    return count += element_wise(out);
  }
  if (op == "gelu") {
    Count count = activation(8, out);
    for (int i = 0; i < 4; ++i) count += element_wise(out);
    return count;
  }
  if (op == "add" || op == "sub" || op == "rsub" || op == "mul" || op == "div")
    return element_wise(out);
  if (op == "batch_norm")
    return {LayerKind::normalisation, 0, 2 * out, 0,
            kWord * (2 * operation.inputs.at(1).elements() + 2 * out)};
  if (op == "max_pool2d" || op == "avg_pool2d") return count_pool(operation, in, out);
  if (op == "adaptive_avg_pool2d") return {LayerKind::pooling, 0, in, 0, kWord * (in + out)};
  if (op == "cat" || op == "stack" || op == "copy" || op == "flatten" || op == "transpose" ||
      op == "permute" || op == "t" || op == "transposed" || op == "identity")
    return moved_numbers(op == "copy" ? out : all_elements(operation.inputs), out);
  if (op == "zeros" || op == "full") return {LayerKind::move, 0, 0, 0, kWord * out};
  return {};
}

// `before`: the operator before it, of those that are no view.
Count pagoda_layer(const Operation& operation, const Operation* before) {
  if (const auto conv = convolution_of(operation)) return count_convolution(*conv);
  if (const auto product = product_of(operation)) return pagoda_product(operation, *product);
  if (const auto lstm = recurrent_of(operation)) return pagoda_recurrent(*lstm);
  if (operation.op == "detector_decode") return count_detector(operation);
  if (operation.outputs.empty() || operation.inputs.empty())
    return operation.outputs.empty() ? Count{}
                                     : count_simple(operation, 0, operation.outputs[0].elements());
  double in = operation.inputs[0].elements();
  double out = operation.outputs[0].elements();
  // A ReLU and a maximum may change places; published graphs have the ReLU first.
  if (operation.op == "relu" && before && before->op == "max_pool2d")
    out = in = before->inputs[0].elements();
  return count_simple(operation, in, out);
}

// Those that a later one stands for as a whole.
std::vector<bool> covered(const Graph& graph) {
  std::vector<bool> within(graph.size());
  for (size_t i = 0; i < graph.size(); ++i) {
    if (graph[i].op != "detector_decode") continue;
    const auto ran = static_cast<size_t>(graph[i].number(0, 0, 0));
    for (size_t k = i - std::min(i, ran); k < i; ++k) within[k] = true;
  }
  return within;
}

}  // namespace

std::vector<Layer> count_pagoda(const Graph& graph, Phase phase, double batch_size) {
  const double passes = phase == Phase::train ? 3 : 1;
  std::vector<Layer> layers;
  const Operation* before = nullptr;
  const std::vector<bool> within = covered(graph);
  for (size_t i = 0; i < graph.size(); ++i) {
    if (within[i]) continue;
    const Operation& operation = graph[i];
    const bool folded = operation.op == "batch_norm" && before && before->op.starts_with("conv");
    if (folded && !layers.empty()) layers.back().parameters += operation.parameters;
    if (folded) continue;
    // A product's bias is no operator of its own.
    const bool bias = operation.op == "add" && operation.parameters > 0;
    const Count count = bias ? Count{} : pagoda_layer(operation, before);
    if (!operation.view) before = &operation;
    Layer layer{.name = operation.name, .op = operation.op, .kind = count.kind};
    layer.parameters = operation.parameters;
    layer.flop = passes * (count.fixed_flop + batch_size * count.flop);
    layer.bytes = passes * (count.fixed_bytes + batch_size * count.bytes);
    if (layer.flop == 0 && layer.bytes == 0 && layer.parameters == 0) continue;
    layer.kernels = passes;
    if (!operation.outputs.empty()) layer.shape = operation.outputs[0].sizes;
    layers.push_back(std::move(layer));
  }
  return layers;
}

}  // namespace flyball
