// The attributes of an ONNX operator.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace flyball {

/// Null where the operator has none of that name.
inline const onnx::AttributeProto* attribute_of(const onnx::NodeProto& node,
                                                std::string_view name) {
  for (const auto& each : node.attribute())
    if (each.name() == name) return &each;
  return nullptr;
}

inline int64_t integer_of(const onnx::NodeProto& node, std::string_view name, int64_t otherwise) {
  const onnx::AttributeProto* const found = attribute_of(node, name);
  return found && found->type() == onnx::AttributeProto::INT ? found->i() : otherwise;
}

inline std::string text_of(const onnx::NodeProto& node, std::string_view name,
                           const std::string& otherwise) {
  const onnx::AttributeProto* const found = attribute_of(node, name);
  return found && found->type() == onnx::AttributeProto::STRING ? found->s() : otherwise;
}

}  // namespace flyball
