#include "graph/onnx_network.h"

#include <fmt/format.h>
#include <onnx/checker.h>

#include <algorithm>
#include <array>

#include "graph/onnx_attributes.h"
#include "graph/onnx_tensors.h"

namespace flyball {
namespace {

using Node = onnx::NodeProto;

// ONNX's operators that are LibTorch's under another name.
const std::map<std::string_view, const char*>& names() {
  static const std::map<std::string_view, const char*> all = {
      {"Abs", "abs"},
      {"Add", "add"},
      {"And", "logical_and"},
      {"ArgMax", "argmax"},
      {"ArgMin", "argmin"},
      {"Atan", "atan"},
      {"AveragePool", "avg_pool"},
      {"BatchNormalization", "batch_norm"},
      {"Cast", "_to_copy"},
      {"Ceil", "ceil"},
      {"Clip", "clamp"},
      {"Concat", "cat"},
      {"ConstantOfShape", "full"},
      {"Cos", "cos"},
      {"CumSum", "cumsum"},
      {"Div", "div"},
      {"Dropout", "dropout"},
      {"Elu", "elu"},
      {"Equal", "eq"},
      {"Erf", "erf"},
      {"Exp", "exp"},
      {"Flatten", "flatten"},
      {"Floor", "floor"},
      {"GatherElements", "gather"},
      {"GatherND", "index"},
      {"GlobalAveragePool", "adaptive_avg_pool2d"},
      {"GlobalMaxPool", "adaptive_max_pool2d"},
      {"Greater", "gt"},
      {"GreaterOrEqual", "ge"},
      {"HardSigmoid", "hardsigmoid"},
      {"HardSwish", "hardswish"},
      {"Identity", "identity"},
      {"InstanceNormalization", "group_norm"},
      {"LayerNormalization", "layer_norm"},
      {"LeakyRelu", "leaky_relu"},
      {"Less", "lt"},
      {"LessOrEqual", "le"},
      {"Log", "log"},
      {"LogSoftmax", "log_softmax"},
      {"MatMul", "matmul"},
      {"Max", "maximum"},
      {"MaxPool", "max_pool"},
      {"Min", "minimum"},
      {"Mul", "mul"},
      {"Neg", "neg"},
      {"Not", "logical_not"},
      {"Or", "logical_or"},
      {"PRelu", "leaky_relu"},
      {"Pad", "pad"},
      {"Pow", "pow"},
      {"Reciprocal", "reciprocal"},
      {"ReduceL2", "linalg_vector_norm"},
      {"ReduceMax", "amax"},
      {"ReduceMean", "mean"},
      {"ReduceMin", "amin"},
      {"ReduceProd", "prod"},
      {"ReduceSum", "sum"},
      {"Relu", "relu"},
      {"Reshape", "reshape"},
      {"Round", "round"},
      {"ScatterElements", "scatter"},
      {"ScatterND", "index_put"},
      {"Sigmoid", "sigmoid"},
      {"Sign", "sign"},
      {"Sin", "sin"},
      {"Softmax", "softmax"},
      {"Softplus", "softplus"},
      {"Sqrt", "sqrt"},
      {"Squeeze", "squeeze"},
      {"Sub", "sub"},
      {"Sum", "add"},
      {"Tanh", "tanh"},
      {"Tile", "tile"},
      {"TopK", "topk"},
      {"Transpose", "transposed"},
      {"Unsqueeze", "unsqueeze"},
      {"Where", "where"},
  };
  return all;
}

constexpr std::array views = {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout"};
// Copies of a part or a repetition: no rule of `pagoda` counts them.
constexpr std::array copies = {"Slice", "Split", "Expand", "DepthToSpace", "SpaceToDepth"};
// Of these the first input alone is computed on; others say how.
constexpr std::array given_sizes = {"Resize", "Upsample", "Clip",      "Pad",       "Tile",
                                    "TopK",   "Slice",    "Split",     "Expand",    "Reshape",
                                    "CumSum", "Squeeze",  "Unsqueeze", "ReduceSum", "Dropout"};

template <class List>
bool holds(const List& list, std::string_view op) {
  return std::find(list.begin(), list.end(), op) != list.end();
}

std::vector<double> numbers(const Node& node, std::string_view name) {
  const auto* const found = attribute_of(node, name);
  return found ? std::vector<double>(found->ints().begin(), found->ints().end())
               : std::vector<double>{};
}

class Translator {
 public:
  explicit Translator(const OnnxTensors& tensors) : tensors_(tensors) {}

  Status add(const Node& node) {
    const std::string& op = node.op_type();
    if (is_worked_out_before(node)) return {};
    Operation operation;
    operation.name = node.name().empty() ? node.output(0) : node.name();
    FLYBALL_ASSIGN(operation.inputs, operands(node, node.input(), true));
    FLYBALL_ASSIGN(operation.outputs, operands(node, node.output(), false));
    operation.parameters = new_weights(node);
    name_operation(node, operation);
    if (op == "LSTM") return add_lstm(node, operation);
    if (op == "Gemm") shape_gemm(node, operation);
    if (op == "MatMul") shape_matmul(operation);
    if (holds(given_sizes, op) && operation.inputs.size() > 1) operation.inputs.resize(1);
    graph_.push_back(std::move(operation));
    return {};
  }

  Graph take() { return std::move(graph_); }

 private:
  bool is_worked_out_before(const Node& node) const {
    if (node.op_type() == "ConstantOfShape") return false;
    return std::all_of(node.output().begin(), node.output().end(),
                       [&](const std::string& name) { return tensors_.constants.contains(name); });
  }

  template <class Names>
  Result<std::vector<Operand>> operands(const Node& node, const Names& names, bool inputs) const {
    std::vector<Operand> list;
    for (const std::string& name : names) {
      const auto found = tensors_.operands.find(name);
      if (found != tensors_.operands.end()) {
        list.push_back(found->second);
        continue;
      }
      // What is only told, and further outputs that are seldom asked for, need no size.
      const bool needed =
          !name.empty() && (list.empty() || (inputs && !holds(given_sizes, node.op_type())));
      if (needed)
        return Error{Code::invalid_argument,
                     fmt::format("the shape of '{}' ({} '{}') cannot be inferred", name,
                                 node.op_type(), node.name()),
                     "export the network with fixed sizes, or describe it as script:FILE"};
      list.push_back(Operand{{}, 0, false});
    }
    return list;
  }

  // Numbers of the weights that no node before this one took. A batch norm's means and variances
  // are measured, not learnt.
  double new_weights(const Node& node) {
    double sum = 0;
    for (int i = 0; i < node.input_size(); ++i) {
      const bool learnt = node.op_type() != "BatchNormalization" || i < 3;
      if (!learnt || (i > 0 && holds(given_sizes, node.op_type()))) continue;
      if (!tensors_.weights.contains(node.input(i)) || !seen_.insert(node.input(i)).second)
        continue;
      sum += tensors_.operands.at(node.input(i)).elements();
    }
    return sum;
  }

  static void name_operation(const Node& node, Operation& operation) {
    const std::string& op = node.op_type();
    operation.view = holds(views, op);
    const size_t rank = operation.inputs.empty() ? 0 : operation.inputs[0].sizes.size();
    const std::string window = fmt::format("{}d", rank > 2 ? rank - 2 : 1);
    if (op == "Conv" || op == "ConvTranspose") {
      operation.op = (op == "Conv" ? "conv" : "conv_transpose") + window;
    } else if (op == "Gather") {
      operation.op = operation.parameters > 0 ? "embedding" : "index_select";
    } else if (op == "Gemm") {
      operation.op = "linear";
    } else if (holds(copies, op)) {
      operation.op = "clone";
      operation.shown_as = lower(op);
    } else if (const auto found = names().find(op); found != names().end()) {
      operation.op = found->second;
    } else {
      operation.op = lower(op);  // no rule knows it: its bytes count
    }
    if (op == "MaxPool" || op == "AveragePool") {
      operation.op += window;
      operation.numbers = {numbers(node, "kernel_shape")};
    }
    if (op == "Resize" || op == "Upsample") operation.op = upsampling(text_of(node, "mode", ""));
    if (op == "BatchNormalization") operation.numbers = {{0}};  // of an inference
  }

  static std::string upsampling(const std::string& mode) {
    if (mode == "linear") return "upsample_bilinear2d";
    return mode == "cubic" ? "upsample_bicubic2d" : "upsample_nearest2d";
  }

  static std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
  }

  // A linear layer takes its weights as columns × depth.
  static void shape_gemm(const Node& node, Operation& operation) {
    auto& in = operation.inputs;
    if (in.size() < 2 || in[0].sizes.size() != 2 || in[1].sizes.size() != 2) return;
    if (integer_of(node, "transA", 0) != 0) std::swap(in[0].sizes[0], in[0].sizes[1]);
    if (integer_of(node, "transB", 0) == 0) std::swap(in[1].sizes[0], in[1].sizes[1]);
  }

  // Batches of the first operand are spread over those of what comes out.
  static void shape_matmul(Operation& operation) {
    auto& in = operation.inputs;
    if (in.size() < 2 || in[1].sizes.size() <= 2 || in[0].sizes.size() < 2) return;
    const auto& out = operation.outputs[0].sizes;
    if (out.size() < in[0].sizes.size() || out.size() < 2) return;
    std::vector<int64_t> sizes(out.begin(), out.end() - 2);
    sizes.insert(sizes.end(), in[0].sizes.end() - 2, in[0].sizes.end());
    in[0].sizes = std::move(sizes);
  }

  // One layer for each direction: sequence, two states, weights of input and of state.
  Status add_lstm(const Node& node, const Operation& whole) {
    const auto& in = whole.inputs;
    const bool known = in.size() >= 3 && in[0].sizes.size() == 3 && in[1].sizes.size() == 3 &&
                       in[2].sizes.size() == 3 && integer_of(node, "layout", 0) == 0;
    if (!known)
      return Error{Code::invalid_argument,
                   fmt::format("LSTM '{}' is not laid out as steps × rows × inputs", node.name()),
                   "export the network again, with layout 0"};
    const int64_t directions = in[1].sizes[0], steps = in[0].sizes[0], rows = in[0].sizes[1];
    if (directions < 1 || directions > 2)
      return Error{Code::corrupt,
                   fmt::format("LSTM '{}' has {} directions", node.name(), directions),
                   "export the network again"};
    const int64_t width = in[2].sizes[2];
    for (int64_t i = 0; i < directions; ++i) {
      Operation layer = whole;
      layer.op = "lstm_layer";
      layer.parameters = whole.parameters / static_cast<double>(directions);
      const Operand state = floats({rows, width});
      layer.inputs = {in[0], state, state, floats({in[1].sizes[1], in[1].sizes[2]}),
                      floats({in[2].sizes[1], width})};
      layer.outputs = {floats({steps, rows, width})};
      graph_.push_back(std::move(layer));
    }
    return {};
  }

  static Operand floats(std::vector<int64_t> sizes) {
    Operand operand{std::move(sizes)};
    operand.bytes = 4 * operand.elements();
    return operand;
  }

  const OnnxTensors& tensors_;
  std::set<std::string> seen_{};
  Graph graph_{};
};

Result<OnnxNetwork> translate(onnx::ModelProto& model, const OnnxOptions& options) {
  onnx::checker::check_model(model);
  FLYBALL_ASSIGN(const OnnxTensors tensors, infer_tensors(model, options));
  Translator translator(tensors);
  for (const Node& node : model.graph().node()) FLYBALL_CHECK(translator.add(node));
  return OnnxNetwork{translator.take(), tensors.batch_size};
}

// The first line of what ONNX's library says.
std::string first_line(const std::string& text) {
  const size_t start = text.find_first_not_of(" \n");
  if (start == std::string::npos) return "no reason given";
  return text.substr(start, text.find('\n', start) - start).substr(0, 300);
}

}  // namespace

Result<OnnxNetwork> onnx_network(const std::string& bytes, const OnnxOptions& options) {
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes))
    return Error{Code::corrupt, "this is no ONNX file, or it is cut off",
                 "torch.onnx.export writes one"};
  FLYBALL_CHECK(check_limits(model));
  try {
    return translate(model, options);
  } catch (const std::exception& problem) {
    return Error{Code::corrupt,
                 fmt::format("ONNX's library refuses it: {}", first_line(problem.what())),
                 "export the network again, or describe it as script:FILE (TorchScript)"};
  }
}

}  // namespace flyball
