// The tensors of an ONNX graph: what may be in a file, and which shapes all of them have.
#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <set>
#include <string>

#include "module/onnx.h"

namespace flyball {

/// Is all of it small enough, whole and within the file? ONNX's own library trusts what it reads.
Status check_limits(const onnx::ModelProto& model);

struct OnnxTensors {
  std::map<std::string, Operand> operands;  ///< those whose shape is known
  std::set<std::string> weights;            ///< stored in the file, floating-point, no scalar
  std::set<std::string> constants;          ///< stored in the file, or made of such and of shapes
  int64_t batch_size = 1;
};

/// Sets the sizes of the inputs as asked, then lets ONNX infer the others.
Result<OnnxTensors> infer_tensors(onnx::ModelProto& model, const OnnxOptions& options);

}  // namespace flyball
