// Requests and answers of the Open Inference Protocol v2 over HTTP, with its binary extension:
// names, types, shapes and numbers checked before anything else sees them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "schedule/service.h"

namespace flyball {

/// "FP32", "INT64", "BOOL", …: the protocol's name of a type.
const char* datatype_name(DType dtype);

/// An answer's tensor that a client wants, and how.
struct WantedOutput {
  std::string name;
  bool binary = false;
};

/// A request that was understood.
struct InferCall {
  std::string id;  ///< to be echoed; "": none was given
  std::vector<StoredTensor> inputs;
  int64_t samples = 1;
  std::vector<WantedOutput> outputs;  ///< empty: all of them
  bool binary = false;                ///< of all, where not said otherwise
};

/// Reads a body. `header_length`: of the JSON at its start, as the header
/// Inference-Header-Content-Length says; nothing: all is JSON. Errors are for the client: they name
/// the input and what is wrong with it (name, type, shape, count, a number that is not finite).
Result<InferCall> read_infer(const ServiceInfo& service, std::string_view body,
                             const std::optional<std::string>& header_length);

/// A body, and the length of the JSON at its start where tensors follow it.
struct InferBody {
  std::string bytes;
  std::optional<size_t> header_length;
};

/// Can the client be told these outputs as it asked? Error: one that has no JSON because it holds
/// NaN or an infinity.
Status check_told(const InferCall& call, const std::vector<StoredTensor>& outputs);
/// What goes back has no more bytes than this.
size_t most_told_bytes(const ServiceInfo& service, const InferCall& call,
                       const std::vector<StoredTensor>& outputs);
/// What goes back. Errors: those of check_told().
Result<InferBody> write_infer(const ServiceInfo& service, const InferCall& call,
                              const std::vector<StoredTensor>& outputs);

}  // namespace flyball
