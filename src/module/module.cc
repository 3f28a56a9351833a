#include "module/module.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

#include "base/files.h"
#include "base/text.h"
#include "module/stamp.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// "cannot load x.so: libtorch_cpu.so: cannot open shared object file", and what to do about it.
Error not_loaded(const fs::path& file, const ModuleStamp& stamp) {
  const char* reason = ::dlerror();
  const std::string text = reason ? reason : "no reason given";
  const std::string install = fmt::format(
      "install LibTorch {}, or name its folder in LD_LIBRARY_PATH; it was in {} when flyball was "
      "built",
      stamp.libtorch, fs::path(stamp.library).parent_path().string());
  const std::string rebuild = fmt::format(
      "it was built with LibTorch {} and finds another one: build flyball again with the one that "
      "is here",
      stamp.libtorch);
  const bool absent = text.find("cannot open shared object") != std::string::npos;
  return {Code::unavailable, fmt::format("cannot load {}: {}", file.string(), text),
          absent ? install : rebuild};
}

bool is_in_library_path(const fs::path& library) {
  const char* const path = std::getenv("LD_LIBRARY_PATH");
  if (!path) return false;
  std::error_code problem;
  for (const std::string& folder : split(path, ':'))
    if (!folder.empty() && fs::exists(fs::path(folder) / library.filename(), problem)) return true;
  return false;
}

}  // namespace

bool built_with_torch() {
  return FLYBALL_TORCH;
}

std::string module_build() {
  return FLYBALL_MODULE_BUILD;
}

fs::path module_file() {
  std::error_code problem;
  const fs::path program = fs::read_symlink("/proc/self/exe", problem);
  return program.parent_path().parent_path() / "lib/flyball/flyball_torch.so";
}

Result<ModuleStamp> read_stamp(const fs::path& file) {
  if (!built_with_torch())
    return Error{Code::unavailable, "this flyball was built without LibTorch",
                 "networks and the predictors nn and transfer-nn need one that was built with "
                 "-DFLYBALL_TORCH=ON"};
  std::error_code problem;
  if (!fs::exists(file, problem))
    return Error{Code::unavailable,
                 fmt::format("networks need the module {}, which is missing", file.string()),
                 "install flyball as a whole (cmake --install): lib/flyball belongs beside bin"};
  FLYBALL_ASSIGN(const std::string content, read_file(file));
  const size_t mark = content.find(FLYBALL_MODULE_MARK);
  if (mark == std::string::npos)
    return Error{Code::corrupt, fmt::format("{} is no module of flyball", file.string()),
                 "install flyball again"};
  const std::string text = content.substr(mark, content.find('\0', mark) - mark);
  const std::vector<std::string> lines = split(text, '\n');
  if (lines.size() < 4 || lines[1] != module_build())
    return Error{Code::unavailable,
                 fmt::format("{} is of flyball {}, this program is flyball {}", file.string(),
                             lines.size() > 1 ? lines[1] : "?", module_build()),
                 "install both from one build"};
  return ModuleStamp{lines[1], lines[2], lines[3]};
}

Result<ModuleStamp> check_module(const fs::path& file) {
  FLYBALL_ASSIGN(ModuleStamp stamp, read_stamp(file));
  std::error_code problem;
  if (fs::exists(stamp.library, problem) || is_in_library_path(stamp.library)) return stamp;
  return Error{Code::unavailable,
               fmt::format("LibTorch {} is not where it was when flyball was built: {}",
                           stamp.libtorch, stamp.library),
               "install it, or name its folder in LD_LIBRARY_PATH"};
}

Result<void*> load_module(const fs::path& file) {
  FLYBALL_ASSIGN(const ModuleStamp stamp, read_stamp(file));
  // All symbols now: one that another LibTorch lacks is an error here, not a crash in a training.
  if (void* const module = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return module;
  return not_loaded(file, stamp);
}

Result<void*> module_function(const char* name) {
  static const Result<void*> module = load_module(module_file());
  FLYBALL_ASSIGN(void* const handle, module);
  if (void* const function = ::dlsym(handle, name)) return function;
  return Error{Code::internal, fmt::format("{} has no {}", module_file().string(), name),
               "install flyball again"};
}

}  // namespace flyball
