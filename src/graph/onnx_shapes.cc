#include <fmt/format.h>
#include <onnx/shape_inference/implementation.h>

#include "graph/onnx_tensors.h"

namespace flyball {
namespace {

constexpr int64_t kUsualBatch = 16;
constexpr int64_t kElements = int64_t{1} << 46;

using Shape = onnx::TensorShapeProto;

double bytes_per_number(int type) {
  using T = onnx::TensorProto;
  switch (type) {
    case T::COMPLEX128:
      return 16;
    case T::DOUBLE:
    case T::INT64:
    case T::UINT64:
    case T::COMPLEX64:
      return 8;
    case T::FLOAT:
    case T::INT32:
    case T::UINT32:
      return 4;
    case T::FLOAT16:
    case T::BFLOAT16:
    case T::INT16:
    case T::UINT16:
      return 2;
    default:
      return 1;
  }
}

bool is_float(int type) {
  using T = onnx::TensorProto;
  return type == T::FLOAT || type == T::DOUBLE || type == T::FLOAT16 || type == T::BFLOAT16;
}

// Inputs of the network, without the weights that old files list among them.
std::vector<onnx::ValueInfoProto*> inputs_of(onnx::GraphProto& graph) {
  std::set<std::string> stored;
  for (const auto& tensor : graph.initializer()) stored.insert(tensor.name());
  std::vector<onnx::ValueInfoProto*> inputs;
  for (auto& input : *graph.mutable_input())
    if (!stored.contains(input.name())) inputs.push_back(&input);
  return inputs;
}

// The first dimension of the first input is the batch; others that bear its name, too.
struct Batch {
  int64_t size = 1;
  std::string name{};
};

Result<Batch> choose_batch(const Shape& first, const OnnxOptions& options) {
  if (options.batch_size && *options.batch_size < 1)
    return Error{Code::invalid_argument, fmt::format("a batch size of {}", *options.batch_size),
                 "give 1 or more"};
  if (first.dim_size() == 0)
    return Error{Code::invalid_argument, "its first input has no batch dimension", ""};
  const auto& dim = first.dim(0);
  if (!dim.has_dim_value()) return Batch{options.batch_size.value_or(kUsualBatch), dim.dim_param()};
  if (options.batch_size && *options.batch_size != dim.dim_value())
    return Error{Code::invalid_argument,
                 fmt::format("it is exported for minibatches of {}, not of {}", dim.dim_value(),
                             *options.batch_size),
                 fmt::format("give --batch-size {}, or export it with dynamic_axes for the batch",
                             dim.dim_value())};
  return Batch{dim.dim_value(), ""};
}

Status set_sizes(const std::string& name, Shape& shape, const Batch& batch,
                 const std::vector<int64_t>* sample) {
  if (sample && static_cast<int>(sample->size()) + 1 != shape.dim_size())
    return Error{Code::invalid_argument,
                 fmt::format("a sample of '{}' has {} dimensions, --input gives {}", name,
                             shape.dim_size() - 1, sample->size()),
                 ""};
  for (int d = 0; d < shape.dim_size(); ++d) {
    auto& dim = *shape.mutable_dim(d);
    const int64_t given = sample && d > 0 ? (*sample)[d - 1] : 0;
    if (dim.has_dim_value()) {
      if (given > 0 && given != dim.dim_value())
        return Error{Code::invalid_argument,
                     fmt::format("'{}' is exported with a size of {}, not of {}", name,
                                 dim.dim_value(), given),
                     "leave out --input, or export it with dynamic_axes"};
      continue;
    }
    const bool batched = d == 0 || (!batch.name.empty() && dim.dim_param() == batch.name);
    if (!batched && given < 1)
      return Error{Code::invalid_argument,
                   fmt::format("the file leaves dimension {} of its input '{}' open", d, name),
                   "say what a sample is with --input, once for each input, such as --input "
                   "3x224x224"};
    dim.set_dim_value(batched ? batch.size : given);
  }
  return {};
}

Result<int64_t> set_inputs(onnx::GraphProto& graph, const OnnxOptions& options) {
  const auto inputs = inputs_of(graph);
  if (inputs.empty()) return Error{Code::corrupt, "the file has no inputs", ""};
  if (!options.samples.empty() && options.samples.size() != inputs.size())
    return Error{
        Code::invalid_argument,
        fmt::format("it takes {} inputs, {} are given", inputs.size(), options.samples.size()),
        "give --input once for each"};
  const auto shape_of = [](onnx::ValueInfoProto* input) {
    return input->mutable_type()->mutable_tensor_type()->mutable_shape();
  };
  FLYBALL_ASSIGN(const Batch batch, choose_batch(*shape_of(inputs.front()), options));
  for (size_t i = 0; i < inputs.size(); ++i)
    FLYBALL_CHECK(set_sizes(inputs[i]->name(), *shape_of(inputs[i]), batch,
                            options.samples.empty() ? nullptr : &options.samples[i]));
  return batch.size;
}

void add_known(OnnxTensors& tensors, const onnx::ValueInfoProto& value) {
  if (!value.type().has_tensor_type() || !value.type().tensor_type().has_shape()) return;
  Operand operand;
  int64_t elements = 1;
  for (const auto& dim : value.type().tensor_type().shape().dim()) {
    if (!dim.has_dim_value() || dim.dim_value() < 0) return;
    if (dim.dim_value() > 0 && elements > kElements / dim.dim_value()) return;
    elements *= dim.dim_value();
    operand.sizes.push_back(dim.dim_value());
  }
  operand.bytes = operand.elements() * bytes_per_number(value.type().tensor_type().elem_type());
  tensors.operands.insert_or_assign(value.name(), std::move(operand));
}

void add_stored(OnnxTensors& tensors, const onnx::TensorProto& tensor, const std::string& name) {
  Operand operand{{tensor.dims().begin(), tensor.dims().end()}};
  operand.bytes = operand.elements() * bytes_per_number(tensor.data_type());
  if (is_float(tensor.data_type()) && operand.elements() > 1) tensors.weights.insert(name);
  tensors.constants.insert(name);
  tensors.operands.insert_or_assign(name, std::move(operand));
}

// In order of execution, which ONNX's checker has seen to.
void add_constants(OnnxTensors& tensors, const onnx::NodeProto& node) {
  const std::string& op = node.op_type();
  bool constant = op == "Constant" || op == "Shape" || op == "Size";
  if (!constant) {
    constant = node.input_size() > 0 && op.rfind("Random", 0) != 0;
    for (const std::string& input : node.input())
      constant = constant && (input.empty() || tensors.constants.contains(input));
  }
  if (!constant) return;
  for (const std::string& output : node.output()) tensors.constants.insert(output);
  if (op != "Constant") return;
  for (const auto& attribute : node.attribute())
    if (attribute.has_t()) add_stored(tensors, attribute.t(), node.output(0));
}

}  // namespace

Result<OnnxTensors> infer_tensors(onnx::ModelProto& model, const OnnxOptions& options) {
  onnx::GraphProto& graph = *model.mutable_graph();
  OnnxTensors tensors;
  FLYBALL_ASSIGN(tensors.batch_size, set_inputs(graph, options));
  // What the exporter noted is of its own sample.
  graph.clear_value_info();
  for (auto& output : *graph.mutable_output())
    if (output.type().has_tensor_type())
      output.mutable_type()->mutable_tensor_type()->clear_shape();
  onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(),
                                     onnx::ShapeInferenceOptions(false, 1, true));
  for (const auto& value : graph.input()) add_known(tensors, value);
  for (const auto& value : graph.value_info()) add_known(tensors, value);
  for (const auto& value : graph.output()) add_known(tensors, value);
  for (const auto& tensor : graph.initializer()) add_stored(tensors, tensor, tensor.name());
  for (const auto& node : graph.node()) add_constants(tensors, node);
  return tensors;
}

}  // namespace flyball
