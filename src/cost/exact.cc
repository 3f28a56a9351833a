// The rules `exact`.
#include <algorithm>
#include <array>
#include <map>

#include "cost/counting.h"
#include "cost/products.h"

namespace flyball {
namespace {

// What an operator's FLOP are a multiple of.
enum class By { outputs, inputs, window, reads, writes, gathers };

struct Rule {
  LayerKind kind;
  double flop = 0;  ///< for each number of what `by` says
  By by = By::outputs;
  double kernels = 1;
};

constexpr auto element = LayerKind::elementwise, norm = LayerKind::normalisation,
               pool = LayerKind::pooling, gather = LayerKind::embedding, moved = LayerKind::move;

// Normalisation takes a mean (1), a variance (3) and a line (2) of each number, backwards two sums
// (4) and the slope (5); where it has been trained, the line alone.
const std::map<std::string_view, Rule>& rules() {
  static const std::map<std::string_view, Rule> all = {
      {"batch_norm", {norm, 6}},
      {"native_batch_norm_backward", {norm, 9, By::inputs, 2}},
      {"cudnn_batch_norm_backward", {norm, 9, By::inputs, 2}},
      {"norm_silu", {norm, 11, By::outputs, 2}},
      {"norm_silu_backward", {norm, 17, By::outputs, 3}},
      {"layer_norm", {norm, 8}},
      {"native_layer_norm_backward", {norm, 13, By::inputs, 2}},
      {"group_norm", {norm, 8}},
      {"native_group_norm_backward", {norm, 13, By::inputs, 2}},
      {"relu", {element, 1}},
      {"relu6", {element, 2}},
      {"leaky_relu", {element, 2}},
      {"elu", {element, 5}},
      {"hardtanh", {element, 2}},
      {"hardsigmoid", {element, 4}},
      {"hardswish", {element, 5}},
      {"sigmoid", {element, 4}},
      {"tanh", {element, 5}},
      {"silu", {element, 5}},
      {"gelu", {element, 12}},
      {"mish", {element, 10}},
      {"softplus", {element, 5}},
      {"softplus_backward", {element, 6}},
      {"erf", {element, 8}},
      {"exp", {element, 4}},
      {"log", {element, 4}},
      {"sqrt", {element, 1}},
      {"rsqrt", {element, 2}},
      {"pow", {element, 4}},
      {"sin", {element, 4}},
      {"cos", {element, 4}},
      {"atan", {element, 4}},
      {"softmax", {element, 7}},
      {"log_softmax", {element, 7}},
      {"_softmax_backward_data", {element, 4, By::outputs}},
      {"_log_softmax_backward_data", {element, 7, By::outputs}},
      {"threshold_backward", {element, 1}},
      {"sigmoid_backward", {element, 3}},
      {"tanh_backward", {element, 3}},
      {"gelu_backward", {element, 20}},
      {"silu_backward", {element, 8}},
      {"hardswish_backward", {element, 4}},
      {"hardsigmoid_backward", {element, 2}},
      {"hardtanh_backward", {element, 1}},
      {"leaky_relu_backward", {element, 2}},
      {"elu_backward", {element, 5}},
      {"dropout", {element, 2}},
      {"add_dropout", {element, 3}},
      {"dropout_backward", {element, 1}},
      {"add_dropout_backward", {element, 1}},
      {"nll_loss_forward", {element, 1, By::outputs}},
      {"nll_loss_backward", {element, 1, By::outputs}},
      {"binary_cross_entropy_with_logits", {element, 12, By::inputs}},
      {"binary_cross_entropy", {element, 10, By::inputs}},
      {"binary_cross_entropy_backward", {element, 6}},
      {"mse_loss", {element, 3, By::inputs}},
      {"mse_loss_backward", {element, 3}},
      {"smooth_l1_loss", {element, 4, By::inputs}},
      {"smooth_l1_loss_backward", {element, 4}},
      {"max_pool2d", {pool, 1, By::window}},
      {"max_pool1d", {pool, 1, By::window}},
      {"max_pool2d_backward", {pool, 1}},
      {"max_pool2d_with_indices_backward", {pool, 1}},
      {"avg_pool2d", {pool, 1, By::window}},
      {"avg_pool1d", {pool, 1, By::window}},
      {"avg_pool2d_backward", {pool, 1}},
      {"adaptive_avg_pool2d", {pool, 1, By::inputs}},
      {"adaptive_avg_pool1d", {pool, 1, By::inputs}},
      {"adaptive_max_pool2d", {pool, 1, By::inputs}},
      {"embedding", {gather, 0, By::gathers}},
      {"embedding_bag", {gather, 1, By::gathers}},
      {"embedding_dense_backward", {gather, 1, By::inputs, 2}},
      {"index", {gather, 0, By::gathers}},
      {"index_select", {gather, 0, By::gathers}},
      {"gather", {gather, 0, By::gathers}},
      {"index_put", {gather, 0, By::reads}},
      {"_index_put_impl", {gather, 0, By::reads}},
      {"scatter", {gather, 0, By::reads}},
      {"scatter_add", {gather, 1, By::inputs}},
      {"upsample_nearest2d", {moved, 0}},
      {"upsample_nearest2d_backward", {moved, 1, By::inputs}},
      {"upsample_bilinear2d", {element, 8}},
      {"upsample_bilinear2d_backward", {element, 8, By::inputs}},
      {"zeros", {moved, 0, By::writes}},
      {"ones", {moved, 0, By::writes}},
      {"full", {moved, 0, By::writes}},
      {"zero", {moved, 0, By::writes}},
      {"fill", {moved, 0, By::writes}},
      {"zeros_like", {moved, 0, By::writes}},
      {"ones_like", {moved, 0, By::writes}},
      {"full_like", {moved, 0, By::writes}},
      {"new_zeros", {moved, 0, By::writes}},
      {"new_ones", {moved, 0, By::writes}},
      {"new_full", {moved, 0, By::writes}},
      {"scalar_tensor", {moved, 0, By::writes}},
      {"arange", {moved, 0, By::writes}},
      // Momentum (2) and the step (2) of each number; Adam's two moments, root and step.
      {"sgd", {LayerKind::optimizer, 4, By::inputs, 3}},
      {"adam", {LayerKind::optimizer, 12, By::inputs, 9}},
  };
  return all;
}

constexpr std::array plain = {
    "add",        "sub",         "rsub",        "mul",        "div",          "neg",
    "abs",        "clamp",       "clamp_min",   "clamp_max",  "maximum",      "minimum",
    "where",      "masked_fill", "eq",          "ne",         "lt",           "le",
    "gt",         "ge",          "logical_and", "logical_or", "logical_not",  "bitwise_and",
    "bitwise_or", "bitwise_not", "square",      "reciprocal", "sgn",          "sign",
    "floor",      "ceil",        "round",       "remainder",  "floor_divide", "addcmul",
    "addcdiv",    "lerp",        "threshold",   "bernoulli"};
constexpr std::array reductions = {"sum",
                                   "mean",
                                   "prod",
                                   "amax",
                                   "amin",
                                   "max",
                                   "min",
                                   "all",
                                   "argmax",
                                   "argmin",
                                   "norm",
                                   "var",
                                   "std",
                                   "any",
                                   "topk",
                                   "sort",
                                   "cumsum",
                                   "logsumexp",
                                   "linalg_vector_norm"};
constexpr std::array moves = {
    "copy",           "clone",          "cat",  "stack", "constant_pad_nd", "roll", "flip",
    "repeat",         "tile",           "tril", "triu",  "_to_copy",        "pad",  "transposed",
    "slice_backward", "select_backward"};
constexpr std::array products = {"linear", "addmm", "mm", "mv", "addmv", "dot", "bmm", "baddbmm"};
constexpr std::array convolutions = {
    "conv1d",           "conv2d",      "conv3d",       "conv_transpose1d",    "conv_transpose2d",
    "conv_transpose3d", "convolution", "_convolution", "convolution_backward"};
constexpr std::array recurrents = {"lstm_layer", "lstm_layer_backward", "word_cross_entropy",
                                   "word_cross_entropy_backward"};
// They give memory, sizes or single numbers.
constexpr std::array nothing = {"empty",
                                "empty_like",
                                "empty_strided",
                                "new_empty",
                                "resize",
                                "set",
                                "item",
                                "size",
                                "is_nonzero",
                                "detach",
                                "new_empty_strided",
                                "_local_scalar_dense",
                                "lift_fresh",
                                "made_of",
                                "resize_as",
                                "result_type",
                                "is_floating_point",
                                "_reshape_alias"};

template <class List>
bool holds(const List& list, std::string_view op) {
  return std::find(list.begin(), list.end(), op) != list.end();
}

double bytes_of(const std::vector<Operand>& operands) {
  double sum = 0;
  for (const Operand& operand : operands)
    if (operand.present) sum += operand.bytes;
  return sum;
}

double elements_of(const std::vector<Operand>& operands) {
  double most = 0;
  for (const Operand& operand : operands) most = std::max(most, operand.elements());
  return most;
}

// Of a backward pass: the same product for what went in, and for the weights, where they are asked
// for.
void count_convolution_backward(const Operation& operation, Layer& layer) {
  const auto& in = operation.inputs;
  if (in.size() < 3) return;
  const Operation forward{.op = "conv2d", .inputs = {in[1], in[2]}, .outputs = {in[0]}};
  const auto conv = convolution_of(forward);
  if (!conv) return;
  layer.kind = conv->depthwise ? LayerKind::depthwise : LayerKind::convolution;
  layer.kernels = 0;
  for (size_t i = 0; i < operation.outputs.size() && i < 3; ++i) {
    if (!operation.outputs[i].present) continue;
    layer.flop += i < 2 ? 2 * conv->multiplies() : conv->outputs;
    layer.kernels += 1;
    if (i > 0) layer.bytes += in[0].bytes;  // each kernel reads the gradient
    layer.shape = layer.shape.empty() ? operation.outputs[i].sizes : layer.shape;
  }
}

void count_product(const Operation& operation, const Product& product, Layer& layer) {
  layer.kind = product.weight ? LayerKind::matrix : LayerKind::attention;
  layer.flop = 2 * product.multiplies();
  const bool bias =
      (operation.op == "linear" && operation.inputs.size() > 2 && operation.inputs[2].present) ||
      operation.op.starts_with("addm") || operation.op == "baddbmm";
  if (bias) layer.flop += product.batches * product.rows * product.columns;
}

// Gates: two sums (2·4), three sigmoids and a hyperbolic tangent (17), the cell (3) and what it
// shows (6). Backwards about as much for each of the two gradients of the products.
void count_recurrent(const Operation& operation, const Recurrent& recurrent, Layer& layer) {
  const bool backward = operation.op.ends_with("backward");
  const double cells = recurrent.steps * recurrent.rows * recurrent.width;
  layer.kind = LayerKind::recurrent;
  layer.flop = (backward ? 4 : 2) * recurrent.multiplies() + (backward ? 40 : 34) * cells;
  layer.kernels = backward ? 3 + 2 * recurrent.steps : 1 + 2 * recurrent.steps;
  // Sequence, gates and cells once; the weights of the step are read anew in each.
  const double weights = 4 * recurrent.width * (recurrent.inputs + recurrent.width);
  const double across = 4 * recurrent.width * recurrent.width * (recurrent.steps - 1);
  const double sequence = recurrent.steps * recurrent.rows * (recurrent.inputs + recurrent.width);
  layer.bytes = 4 * (weights + across + sequence + (4 + 4 + 1) * cells);
  if (backward) layer.bytes += 4 * (weights + sequence + 4 * cells);
}

// Linear layer, softmax over the words and the picked one.
void count_word_loss(const Operation& operation, Layer& layer) {
  if (operation.inputs.size() < 2) return;
  const double rows = operation.inputs[0].elements() /
                      std::max(1.0, static_cast<double>(operation.inputs[0].sizes.back()));
  const double words = static_cast<double>(operation.inputs[1].sizes.front());
  const double width = static_cast<double>(operation.inputs[1].sizes.back());
  layer.kind = LayerKind::matrix;
  const bool backward = operation.op.ends_with("backward");
  const double multiplies = rows * words * width;
  layer.flop = backward ? 4 * multiplies + rows * words : 2 * multiplies + 9 * rows * words;
  layer.kernels = 3;
  const double read = operation.inputs[0].bytes + operation.inputs[1].bytes;
  layer.bytes = backward ? 2 * read + 3 * 4 * rows * words : read + 4 * 4 * rows * words;
}

void count_ruled(const Operation& operation, const Rule& rule, Layer& layer) {
  const double in = elements_of(operation.inputs), out = elements_of(operation.outputs);
  const double read = bytes_of(operation.inputs), written = bytes_of(operation.outputs);
  layer.kind = rule.kind;
  layer.kernels = rule.kernels;
  layer.flop = rule.flop * (rule.by == By::inputs ? in : out);
  if (rule.by == By::window) {
    const double taps =
        operation.number(0, 0, 1) * (operation.op.ends_with("1d") ? 1 : operation.number(0, 1, 1));
    layer.flop = out * (operation.op.starts_with("max") ? taps - 1 : taps);
  }
  if (rule.by == By::reads || rule.by == By::writes) layer.flop = 0;
  if (rule.by == By::writes) layer.bytes = written;
  if (rule.by == By::gathers) {
    double ids = 0;  // all but the table
    for (size_t i = 1; i < operation.inputs.size(); ++i) ids += operation.inputs[i].bytes;
    layer.bytes = 2 * written + ids;
  }
  if (operation.op == "batch_norm" && operation.number(0, 0, 1) == 0) layer.flop = 2 * out;
  if (rule.kind == LayerKind::optimizer) {
    // Of numbers, gradients and one moment or two all but the gradients are written again.
    const double tensors = operation.op == "sgd" ? 3 : 4;
    layer.bytes = read + read * (tensors - 1) / tensors;
    layer.flop = rule.flop * read / (4 * tensors);
    layer.shape = {};
  }
}

void count_unruled(const Operation& operation, Layer& layer) {
  const double in = elements_of(operation.inputs), out = elements_of(operation.outputs);
  if (holds(plain, operation.op)) {
    layer.kind = element;
    layer.flop = out;
  } else if (holds(reductions, operation.op)) {
    layer.kind = pool;
    layer.flop = std::max(in, out);
  } else if (holds(moves, operation.op)) {
    layer.kind = moved;
  }
}

Layer count_one(const Operation& operation) {
  Layer layer;
  layer.name = operation.name;
  layer.op = operation.shown_as.empty() ? operation.op : operation.shown_as;
  layer.parameters = operation.parameters;
  layer.activation_bytes = operation.activation_bytes;
  layer.kernels = 1;
  layer.bytes = bytes_of(operation.inputs) + bytes_of(operation.outputs);
  if (!operation.outputs.empty() && operation.outputs.front().present)
    layer.shape = operation.outputs.front().sizes;
  if (operation.op == "convolution_backward") {
    count_convolution_backward(operation, layer);
  } else if (const auto conv = convolution_of(operation)) {
    layer.kind = conv->depthwise ? LayerKind::depthwise : LayerKind::convolution;
    layer.flop = 2 * conv->multiplies() + (conv->bias ? conv->outputs : 0);
  } else if (const auto product = product_of(operation)) {
    count_product(operation, *product, layer);
  } else if (const auto recurrent = recurrent_of(operation)) {
    count_recurrent(operation, *recurrent, layer);
  } else if (operation.op.starts_with("word_cross_entropy")) {
    count_word_loss(operation, layer);
  } else if (const auto rule = rules().find(operation.op); rule != rules().end()) {
    count_ruled(operation, rule->second, layer);
  } else {
    count_unruled(operation, layer);
  }
  return layer;
}

}  // namespace

bool is_counted(std::string_view op) {
  return rules().contains(op) || holds(plain, op) || holds(reductions, op) || holds(moves, op) ||
         holds(products, op) || holds(convolutions, op) || holds(recurrents, op);
}

bool is_free(std::string_view op) {
  return holds(nothing, op);
}

std::vector<Layer> count_exact(const Graph& graph) {
  std::vector<Layer> layers;
  for (const Operation& operation : graph)
    if (!operation.view) layers.push_back(count_one(operation));
  return layers;
}

double multiply_accumulates(const Graph& graph) {
  double sum = 0;
  for (const Operation& operation : graph) {
    if (const auto conv = convolution_of(operation)) sum += conv->multiplies();
    if (const auto product = product_of(operation)) sum += product->multiplies();
    if (const auto recurrent = recurrent_of(operation)) sum += recurrent->multiplies();
  }
  return sum;
}

}  // namespace flyball
