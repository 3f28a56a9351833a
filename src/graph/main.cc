// The module's two symbols (module/onnx.h).
#include "graph/onnx_network.h"

extern "C" {
extern const char flyball_onnx_build[];
const char flyball_onnx_build[] = FLYBALL_MODULE_BUILD;

// Both sides are of one build, so that C++ types may pass; only the name is C's.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wreturn-type-c-linkage"
#endif
flyball::Result<flyball::OnnxNetwork> flyball_read_onnx(const std::string& bytes,
                                                        const flyball::OnnxOptions& options);
flyball::Result<flyball::OnnxNetwork> flyball_read_onnx(const std::string& bytes,
                                                        const flyball::OnnxOptions& options) {
  return flyball::onnx_network(bytes, options);
}
}
