#include "module/onnx.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/files.h"
#include "module/module.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

Result<void*> load_reader() {
  if (!built_with_onnx())
    return Error{Code::unavailable, "this flyball was built without ONNX",
                 "install libonnx-dev and build it again, or describe the network as script:FILE "
                 "(TorchScript)"};
  const fs::path file = module_file().parent_path() / "flyball_onnx.so";
  void* const module = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module) {
    const char* reason = ::dlerror();
    return Error{Code::unavailable,
                 fmt::format("cannot load {}: {}", file.string(), reason ? reason : "no reason"),
                 "install flyball as a whole (cmake --install), and libonnx with protobuf"};
  }
  const auto* const build = static_cast<const char*>(::dlsym(module, "flyball_onnx_build"));
  void* const reader = ::dlsym(module, "flyball_read_onnx");
  if (!build || !reader || module_build() != build)
    return Error{Code::unavailable, fmt::format("{} is not of this program's build", file.string()),
                 "install both from one build"};
  return reader;
}

}  // namespace

bool built_with_onnx() {
  return FLYBALL_ONNX;
}

Result<OnnxNetwork> read_onnx(const fs::path& file, const OnnxOptions& options) {
  static const Result<void*> loaded = load_reader();
  FLYBALL_ASSIGN(void* const reader, loaded);
  FLYBALL_ASSIGN(const std::string bytes, read_file(file, size_t{2} << 30));
  auto network = reinterpret_cast<OnnxReader>(reader)(bytes, options);
  if (!network) return network.error().within(file.string());
  return network;
}

}  // namespace flyball
