#include <fmt/format.h>
#include <onnx/shape_inference/implementation.h>

#include "graph/onnx_tensors.h"
#include "graph/onnx_values.h"
#include "space/axis.h"

namespace flyball {
namespace {

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
  if (!dim.has_dim_value())
    return Batch{options.batch_size.value_or(usual_batch_size), dim.dim_param()};
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

// Nothing when a dimension is open, or the whole larger than any tensor.
std::optional<std::vector<int64_t>> sizes_of(const onnx::TypeProto& type) {
  if (!type.has_tensor_type() || !type.tensor_type().has_shape()) return {};
  std::vector<int64_t> sizes;
  int64_t elements = 1;
  for (const auto& dim : type.tensor_type().shape().dim()) {
    if (!dim.has_dim_value() || dim.dim_value() < 0) return {};
    if (dim.dim_value() > 0 && elements > kElements / dim.dim_value()) return {};
    elements *= dim.dim_value();
    sizes.push_back(dim.dim_value());
  }
  return sizes;
}

// Goes through the operators in order of execution. ONNX infers the shapes that one gives; what it
// gives is worked out where it is small, since the shapes of later ones may depend on that. ONNX's
// own propagation follows part of that arithmetic alone.
class ShapeWalk {
 public:
  explicit ShapeWalk(const onnx::ModelProto& model) {
    for (const auto& import : model.opset_import())
      versions_[import.domain()] = static_cast<int>(import.version());
    for (const auto& input : model.graph().input()) types_[input.name()] = input.type();
    for (const auto& tensor : model.graph().initializer()) store(tensor.name(), tensor);
  }

  void add(const onnx::NodeProto& node) {
    if (const auto* const stored = constant(node)) return store(node.output(0), *stored);
    infer(node);
    if (node.output_size() != 1) return;
    const auto type = types_.find(node.output(0));
    if (type == types_.end()) return;
    const auto sizes = sizes_of(type->second);
    if (!sizes) return;
    std::vector<OnnxValue> inputs;
    for (const std::string& name : node.input()) inputs.push_back(value(name));
    const int kind = type->second.tensor_type().elem_type();
    if (auto numbers = worked_out(node, inputs, kind, *sizes)) keep(node.output(0), *numbers);
  }

  void give(OnnxTensors& tensors) const {
    for (const auto& [name, type] : types_) {
      auto sizes = sizes_of(type);
      if (!sizes) continue;
      Operand operand{*std::move(sizes)};
      operand.bytes = operand.elements() * bytes_per_number(type.tensor_type().elem_type());
      tensors.operands.insert_or_assign(name, std::move(operand));
    }
  }

 private:
  static constexpr size_t kNumbers = 1 << 20;  // that are kept, of all tensors

  static const onnx::TensorProto* constant(const onnx::NodeProto& node) {
    if (node.op_type() != "Constant" || node.output_size() != 1) return nullptr;
    for (const auto& attribute : node.attribute())
      if (attribute.name() == "value" && attribute.has_t()) return &attribute.t();
    return nullptr;
  }

  void store(const std::string& name, const onnx::TensorProto& tensor) {
    auto& type = *types_[name].mutable_tensor_type();
    type.Clear();
    type.set_elem_type(tensor.data_type());
    for (const int64_t size : tensor.dims()) type.mutable_shape()->add_dim()->set_dim_value(size);
    type.mutable_shape();  // of a scalar, too
    if (auto numbers = small_numbers(tensor)) keep(name, *numbers);
  }

  void keep(const std::string& name, OnnxNumbers& numbers) {
    if (kept_ + numbers.size() > kNumbers) return;
    kept_ += numbers.size();
    values_[name] = std::move(numbers);
  }

  OnnxValue value(const std::string& name) const {
    OnnxValue value;
    if (const auto type = types_.find(name); type != types_.end())
      value.sizes = sizes_of(type->second);
    if (const auto numbers = values_.find(name); numbers != values_.end())
      value.numbers = &numbers->second;
    return value;
  }

  // As a graph of one operator.
  void infer(const onnx::NodeProto& node) {
    onnx::GraphProto graph;
    *graph.add_node() = node;
    std::set<std::string> told;
    for (const std::string& name : node.input()) {
      const auto type = types_.find(name);
      if (type == types_.end() || !told.insert(name).second) continue;
      auto& input = *graph.add_input();
      input.set_name(name);
      *input.mutable_type() = type->second;
      add_numbers(graph, name, type->second);
    }
    onnx::shape_inference::InferShapes(&graph, versions_, onnx::OpSchemaRegistry::Instance(),
                                       onnx::ShapeInferenceOptions(false, 1, false));
    for (auto& value : *graph.mutable_value_info())
      types_[value.name()] = std::move(*value.mutable_type());
  }

  void add_numbers(onnx::GraphProto& graph, const std::string& name,
                   const onnx::TypeProto& type) const {
    const auto numbers = values_.find(name);
    if (numbers == values_.end()) return;
    const auto sizes = sizes_of(type);
    if (!sizes) return;
    auto tensor = tensor_of(numbers->second, type.tensor_type().elem_type(), *sizes);
    if (!tensor) return;
    tensor->set_name(name);
    *graph.add_initializer() = *std::move(tensor);
  }

  std::unordered_map<std::string, int> versions_;
  std::map<std::string, onnx::TypeProto> types_;
  std::map<std::string, OnnxNumbers> values_;
  size_t kept_ = 0;
};

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
  ShapeWalk walk(model);
  for (const auto& node : graph.node()) walk.add(node);
  walk.give(tensors);
  for (const auto& tensor : graph.initializer()) add_stored(tensors, tensor, tensor.name());
  for (const auto& node : graph.node()) add_constants(tensors, node);
  return tensors;
}

}  // namespace flyball
