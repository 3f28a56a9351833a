// ONNX files as graphs of operators. What reads them is a module of its own,
// `lib/flyball/flyball_onnx.so`, so that no other command loads ONNX's library and protobuf.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "cost/operation.h"

namespace flyball {

struct OnnxOptions {
  /// Samples of a minibatch, where the file leaves them open; nothing: what the file says, else 16.
  std::optional<int64_t> batch_size{};
  /// Sizes of one sample of each input, for what else the file leaves open.
  std::vector<std::vector<int64_t>> samples{};
};

struct OnnxNetwork {
  Graph graph;
  int64_t batch_size = 1;
};

/// What the module gives as `flyball_read_onnx`: the bytes of a file as a graph.
using OnnxReader = Result<OnnxNetwork> (*)(const std::string& bytes, const OnnxOptions& options);

bool built_with_onnx();

/// Errors name the file: none such, over 1 GiB, no ONNX, what an operator or a shape in it lacks;
/// a program built without ONNX, a module that is missing or of another build.
Result<OnnxNetwork> read_onnx(const std::filesystem::path& file, const OnnxOptions& options);

}  // namespace flyball
