// The bytes of an ONNX file as a graph of operators under LibTorch's names, by shape inference;
// nothing of it is run. Operators that move or shape alone (Reshape, Flatten, Squeeze, Identity)
// are views; what depends on constants and shapes alone is worked out before and is left out.
#pragma once

#include "module/onnx.h"

namespace flyball {

/// Errors: no ONNX, cut off, weights that lie outside of the file, control flow and functions of
/// its own, sizes that no network has, operators that ONNX's checker refuses, shapes that stay
/// unknown, a batch size or sample other than the one that the file fixes.
Result<OnnxNetwork> onnx_network(const std::string& bytes, const OnnxOptions& options);

}  // namespace flyball
