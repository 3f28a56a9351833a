#include <fmt/format.h>

#include <array>
#include <cmath>

#include "graph/onnx_tensors.h"

namespace flyball {
namespace {

constexpr int kRank = 16;
constexpr int64_t kSize = int64_t{1} << 40, kNumber = int64_t{1} << 31;
constexpr int kNodes = 200'000, kOperands = 4096;

Error refused(const std::string& what) {
  return {Code::corrupt, what, "export the network again (torch.onnx.export)"};
}

// Bytes of a number of the types that are stored raw; 0: none such.
int64_t width_of(int type) {
  using T = onnx::TensorProto;
  switch (type) {
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
    case T::INT8:
    case T::UINT8:
    case T::BOOL:
      return 1;
    default:
      return 0;
  }
}

int64_t typed_numbers(const onnx::TensorProto& tensor) {
  using T = onnx::TensorProto;
  switch (tensor.data_type()) {
    case T::FLOAT:
      return tensor.float_data_size();
    case T::DOUBLE:
      return tensor.double_data_size();
    case T::INT64:
      return tensor.int64_data_size();
    case T::UINT32:
    case T::UINT64:
      return tensor.uint64_data_size();
    case T::COMPLEX64:
      return tensor.float_data_size() / 2;
    default:
      return tensor.int32_data_size();
  }
}

Status check_tensor(const onnx::TensorProto& tensor, const std::string& name) {
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL || tensor.external_data_size() > 0)
    return Error{Code::invalid_argument,
                 fmt::format("the numbers of '{}' lie outside of the file", name),
                 "export it as one file, without external data"};
  if (tensor.has_segment()) return refused(fmt::format("'{}' is stored in segments", name));
  if (tensor.dims_size() > kRank)
    return refused(fmt::format("'{}' has {} dimensions", name, tensor.dims_size()));
  int64_t elements = 1;
  for (const int64_t size : tensor.dims()) {
    if (size < 0 || size > kSize || (size > 0 && elements > kSize / size))
      return refused(fmt::format("'{}' has a size of {}", name, size));
    elements *= size;
  }
  const int64_t width = width_of(tensor.data_type());
  if (width == 0) return refused(fmt::format("'{}' holds numbers of no known type", name));
  const bool whole = tensor.has_raw_data()
                         ? static_cast<int64_t>(tensor.raw_data().size()) == elements * width
                         : typed_numbers(tensor) == elements;
  if (!whole) return refused(fmt::format("'{}' does not hold its {} numbers", name, elements));
  return {};
}

// Operators of ONNX's own library divide by some of these.
Status check_numbers(const onnx::AttributeProto& attribute, const std::string& node) {
  constexpr std::array positive = {"strides", "dilations", "kernel_shape", "group", "blocksize"};
  const std::string& name = attribute.name();
  const bool above_zero = std::find(positive.begin(), positive.end(), name) != positive.end();
  // The end of a slice is often "as far as it goes".
  const bool any = name == "ends" || name == "starts";
  const auto fine = [&](int64_t value) {
    return any || (value >= (above_zero ? 1 : -kNumber) && value <= kNumber);
  };
  bool good = attribute.type() != onnx::AttributeProto::INT || fine(attribute.i());
  for (const int64_t value : attribute.ints()) good = good && fine(value);
  if (!good) return refused(fmt::format("'{}' of '{}' is out of range", name, node));
  return {};
}

Status check_node(const onnx::NodeProto& node) {
  const std::string name = node.name().empty() ? node.op_type() : node.name();
  if (node.input_size() > kOperands || node.output_size() > kOperands)
    return refused(fmt::format("'{}' takes or gives over {} tensors", name, kOperands));
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.has_g() || attribute.graphs_size() > 0)
      return Error{Code::invalid_argument,
                   fmt::format("'{}' ({}) chooses what runs when it runs, so that its cost is not "
                               "known",
                               name, node.op_type()),
                   "export the network traced, without branches and loops"};
    if (attribute.has_sparse_tensor() || attribute.sparse_tensors_size() > 0)
      return refused(fmt::format("'{}' holds a sparse tensor", name));
    if (attribute.has_t()) FLYBALL_CHECK(check_tensor(attribute.t(), name));
    for (const onnx::TensorProto& tensor : attribute.tensors())
      FLYBALL_CHECK(check_tensor(tensor, name));
    FLYBALL_CHECK(check_numbers(attribute, name));
  }
  return {};
}

Status check_value(const onnx::ValueInfoProto& value) {
  if (!value.type().has_tensor_type())
    return refused(fmt::format("'{}' is no tensor", value.name()));
  const auto& shape = value.type().tensor_type().shape();
  if (shape.dim_size() > kRank)
    return refused(fmt::format("'{}' has {} dimensions", value.name(), shape.dim_size()));
  for (const auto& dim : shape.dim())
    if (dim.has_dim_value() && (dim.dim_value() < 0 || dim.dim_value() > kSize))
      return refused(fmt::format("'{}' has a size of {}", value.name(), dim.dim_value()));
  return {};
}

}  // namespace

Status check_limits(const onnx::ModelProto& model) {
  const onnx::GraphProto& graph = model.graph();
  if (!model.has_graph() || graph.node_size() == 0) return refused("this is no ONNX file");
  if (model.functions_size() > 0)
    return Error{Code::invalid_argument, "the file defines operators of its own",
                 "export it with ONNX's operators alone"};
  if (graph.node_size() > kNodes || graph.input_size() > kOperands)
    return refused(fmt::format("{} operators", graph.node_size()));
  if (graph.sparse_initializer_size() > 0) return refused("the file holds sparse weights");
  for (const onnx::NodeProto& node : graph.node()) FLYBALL_CHECK(check_node(node));
  for (const onnx::TensorProto& tensor : graph.initializer())
    FLYBALL_CHECK(check_tensor(tensor, tensor.name()));
  for (const onnx::ValueInfoProto& value : graph.input()) FLYBALL_CHECK(check_value(value));
  return {};
}

}  // namespace flyball
