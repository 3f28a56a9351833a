#include "telemetry/sensors/nvml_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>
#include <mutex>

#include "base/os/library.h"
#include "telemetry/sensors/nvml_entries.h"
#include "telemetry/sensors/nvml_program.h"

namespace flyball {
namespace {

template <class Result, class... Arguments>
void resolve(void* library, std::function<Result(Arguments...)>& entry, const char* name,
             const char* older = nullptr) {
  void* found = ::dlsym(library, name);
  if (found == nullptr && older != nullptr) found = ::dlsym(library, older);
  if (found != nullptr) entry = reinterpret_cast<Result (*)(Arguments...)>(found);
}

NvmlApi entries_of(void* library) {
  NvmlApi api;
  resolve(library, api.device_count, "nvmlDeviceGetCount_v2", "nvmlDeviceGetCount");
  resolve(library, api.device, "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex");
  resolve(library, api.error_string, "nvmlErrorString");
  resolve(library, api.driver_version, "nvmlSystemGetDriverVersion");
#define RESOLVE(entry, symbol, older, form) resolve(library, api.entry, symbol, older);
  FLYBALL_NVML_ENTRIES(RESOLVE)
#undef RESOLVE
  return api;
}

Result<NvmlApi> load(const std::string& path) {
  void* library = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return no_nvml_library(path);
  NvmlApi api = entries_of(library);
  std::function<int()> init;
  resolve(library, init, "nvmlInit_v2", "nvmlInit");
  if (!init || !api.device_count || !api.device || !api.error_string) {
    ::dlclose(library);
    return not_nvml(path);
  }
  if (const int code = init(); code != nvml_success) {
    const std::string reason = api.message(code);
    ::dlclose(library);
    return nvml_start_error(code, reason);
  }
  return api;
}

}  // namespace

Error no_nvml_library(const std::string& path) {
  return {Code::unavailable, "no NVIDIA management library (" + path + ")",
          "install NVIDIA's driver, where there is such a GPU"};
}

Error not_nvml(const std::string& path) {
  return {Code::unavailable, path + " is not NVIDIA's management library", ""};
}

Error nvml_start_error(int code, const std::string& reason) {
  return {code == nvml_no_permission ? Code::permission : Code::unavailable,
          "NVIDIA's management library does not start: " + reason,
          "is the kernel module of the same version loaded (nvidia-smi)?"};
}

std::string NvmlApi::message(int code) const {
  const char* text = error_string(code);
  return text != nullptr ? text : fmt::format("error {}", code);
}

Result<const NvmlApi*> NvmlApi::open(const std::string& library) {
  static std::mutex mutex;
  // Never closed: sensors of any age may still call it.
  static auto* opened = new std::map<std::string, std::unique_ptr<NvmlApi>>;
  const std::lock_guard lock(mutex);
  auto& api = (*opened)[library];
  if (!api) {
    FLYBALL_ASSIGN(NvmlApi loaded,
                   loads_libraries ? load(library) : open_by_program(nvml_program(), library));
    api = std::make_unique<NvmlApi>(std::move(loaded));
  }
  return static_cast<const NvmlApi*>(api.get());
}

std::string nvml_text(const std::function<int(NvmlDevice, char*, unsigned)>& entry,
                      NvmlDevice device) {
  std::array<char, 128> text{};
  if (!entry || entry(device, text.data(), text.size()) != nvml_success) return "";
  return text.data();
}

}  // namespace flyball
