// Small ONNX files, made with ONNX's own classes.
#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

namespace flyball {

inline onnx::ModelProto empty_model() {
  onnx::ModelProto model;
  model.set_ir_version(7);
  model.add_opset_import()->set_version(13);
  model.mutable_graph()->set_name("small");
  return model;
}

/// 0: the batch, which is open.
inline void add_input(onnx::ModelProto& model, const std::string& name,
                      const std::vector<int64_t>& sizes) {
  auto& input = *model.mutable_graph()->add_input();
  input.set_name(name);
  auto& type = *input.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::FLOAT);
  for (const int64_t size : sizes) {
    auto& dim = *type.mutable_shape()->add_dim();
    if (size == 0)
      dim.set_dim_param("batch");
    else
      dim.set_dim_value(size);
  }
}

inline void add_output(onnx::ModelProto& model, const std::string& name) {
  auto& output = *model.mutable_graph()->add_output();
  output.set_name(name);
  auto& type = *output.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::FLOAT);
  type.mutable_shape();
}

inline void add_weights(onnx::ModelProto& model, const std::string& name,
                        const std::vector<int64_t>& sizes) {
  auto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  int64_t elements = 1;
  for (const int64_t size : sizes) {
    tensor.add_dims(size);
    elements *= size;
  }
  tensor.set_raw_data(std::string(static_cast<size_t>(4 * elements), '\0'));
}

inline onnx::NodeProto& add_node(onnx::ModelProto& model, const std::string& op,
                                 const std::vector<std::string>& inputs,
                                 const std::string& output) {
  auto& node = *model.mutable_graph()->add_node();
  node.set_op_type(op);
  for (const std::string& input : inputs) node.add_input(input);
  node.add_output(output);
  return node;
}

inline void add_numbers(onnx::NodeProto& node, const std::string& name,
                        const std::vector<int64_t>& values) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  for (const int64_t value : values) attribute.add_ints(value);
}

/// conv (3 to 4 channels, 3×3, padded), relu, flatten, gemm (256 to 10) on 3×8×8, batch open.
inline onnx::ModelProto small_model() {
  onnx::ModelProto model = empty_model();
  add_input(model, "x", {0, 3, 8, 8});
  add_weights(model, "conv.weight", {4, 3, 3, 3});
  add_weights(model, "conv.bias", {4});
  add_weights(model, "fc.weight", {10, 256});
  add_weights(model, "fc.bias", {10});
  auto& conv = add_node(model, "Conv", {"x", "conv.weight", "conv.bias"}, "a");
  conv.set_name("first");
  add_numbers(conv, "pads", {1, 1, 1, 1});
  add_node(model, "Relu", {"a"}, "b");
  add_node(model, "Flatten", {"b"}, "c");
  auto& gemm = add_node(model, "Gemm", {"c", "fc.weight", "fc.bias"}, "y");
  auto& transposed = *gemm.add_attribute();
  transposed.set_name("transB");
  transposed.set_type(onnx::AttributeProto::INT);
  transposed.set_i(1);
  add_output(model, "y");
  return model;
}

}  // namespace flyball
