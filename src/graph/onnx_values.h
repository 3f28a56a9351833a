// Small tensors of an ONNX graph whose numbers are known before it runs: sizes, and what exporters
// work out of them (Shape, Gather, Mul, Concat, Reshape). The arithmetic of sizes is ours; the
// shapes of such tensors ONNX infers.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace flyball {

/// Wide enough for any 64-bit integer and any double, exactly.
using OnnxNumbers = std::vector<long double>;

/// A tensor that an operator takes: its sizes, and its numbers where they are known.
struct OnnxValue {
  std::optional<std::vector<int64_t>> sizes{};
  const OnnxNumbers* numbers = nullptr;
};

/// Numbers that the file stores, if they are few (256), and integers, truth values or floats.
std::optional<OnnxNumbers> small_numbers(const onnx::TensorProto& tensor);
/// The opposite. `sizes` must hold as many; nothing for a type that small_numbers() does not read.
std::optional<onnx::TensorProto> tensor_of(const OnnxNumbers& numbers, int type,
                                           const std::vector<int64_t>& sizes);

/// What the first output of a node holds: of `type`, shaped as `sizes`. Nothing when an input is
/// not known, the output not small, the operator no arithmetic of sizes, or the result no such
/// number (a division by zero, an overflow).
std::optional<OnnxNumbers> worked_out(const onnx::NodeProto& node,
                                      const std::vector<OnnxValue>& inputs, int type,
                                      const std::vector<int64_t>& sizes);

}  // namespace flyball
