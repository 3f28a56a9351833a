#include "telemetry/sensors/nvml_api.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <array>

#include <map>
#include <memory>
#include <mutex>

#include "base/os/library.h"

namespace flyball {
namespace {

template <class Function>
void resolve(void* library, Function*& entry, const char* name, const char* older = nullptr) {
  void* found = ::dlsym(library, name);
  if (found == nullptr && older != nullptr) found = ::dlsym(library, older);
  entry = reinterpret_cast<Function*>(found);
}

NvmlApi entries_of(void* library) {
  NvmlApi api;
  resolve(library, api.init, "nvmlInit_v2", "nvmlInit");
  resolve(library, api.shutdown, "nvmlShutdown");
  resolve(library, api.device_count, "nvmlDeviceGetCount_v2", "nvmlDeviceGetCount");
  resolve(library, api.device, "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex");
  resolve(library, api.error_string, "nvmlErrorString");
  resolve(library, api.name, "nvmlDeviceGetName");
  resolve(library, api.uuid, "nvmlDeviceGetUUID");
  resolve(library, api.driver_version, "nvmlSystemGetDriverVersion");
  resolve(library, api.energy, "nvmlDeviceGetTotalEnergyConsumption");
  resolve(library, api.power, "nvmlDeviceGetPowerUsage");
  resolve(library, api.clock, "nvmlDeviceGetClockInfo");
  resolve(library, api.utilization, "nvmlDeviceGetUtilizationRates");
  resolve(library, api.throttle_reasons, "nvmlDeviceGetCurrentClocksEventReasons",
          "nvmlDeviceGetCurrentClocksThrottleReasons");
  resolve(library, api.temperature, "nvmlDeviceGetTemperature");
  resolve(library, api.memory, "nvmlDeviceGetMemoryInfo");
  resolve(library, api.mig_mode, "nvmlDeviceGetMigMode");
  resolve(library, api.power_limits, "nvmlDeviceGetPowerManagementLimitConstraints");
  resolve(library, api.default_limit, "nvmlDeviceGetPowerManagementDefaultLimit");
  resolve(library, api.power_limit, "nvmlDeviceGetPowerManagementLimit");
  resolve(library, api.enforced_limit, "nvmlDeviceGetEnforcedPowerLimit");
  resolve(library, api.set_power_limit, "nvmlDeviceSetPowerManagementLimit");
  resolve(library, api.memory_clocks, "nvmlDeviceGetSupportedMemoryClocks");
  resolve(library, api.graphics_clocks, "nvmlDeviceGetSupportedGraphicsClocks");
  resolve(library, api.lock_gpu, "nvmlDeviceSetGpuLockedClocks");
  resolve(library, api.unlock_gpu, "nvmlDeviceResetGpuLockedClocks");
  resolve(library, api.lock_memory, "nvmlDeviceSetMemoryLockedClocks");
  resolve(library, api.unlock_memory, "nvmlDeviceResetMemoryLockedClocks");
  return api;
}

Result<NvmlApi> load(const std::string& path) {
  if constexpr (!loads_libraries)
    return Error{Code::unavailable, "a static flyball cannot load " + path,
                 "build flyball on the board itself to see an NVIDIA GPU"};
  void* library = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr)
    return Error{Code::unavailable, "no NVIDIA management library (" + path + ")",
                 "install NVIDIA's driver, where there is such a GPU"};
  NvmlApi api = entries_of(library);
  if (!api.init || !api.shutdown || !api.device_count || !api.device || !api.error_string) {
    ::dlclose(library);
    return Error{Code::unavailable, path + " is not NVIDIA's management library", ""};
  }
  if (const int code = api.init(); code != nvml_success) {
    const std::string reason = api.message(code);
    ::dlclose(library);
    return Error{code == nvml_no_permission ? Code::permission : Code::unavailable,
                 "NVIDIA's management library does not start: " + reason,
                 "is the kernel module of the same version loaded (nvidia-smi)?"};
  }
  return api;
}

}  // namespace

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
    FLYBALL_ASSIGN(NvmlApi loaded, load(library));
    api = std::make_unique<NvmlApi>(loaded);
  }
  return static_cast<const NvmlApi*>(api.get());
}

std::string nvml_text(int (*entry)(NvmlDevice, char*, unsigned), NvmlDevice device) {
  std::array<char, 128> text{};
  if (entry == nullptr || entry(device, text.data(), text.size()) != nvml_success) return "";
  return text.data();
}

}  // namespace flyball
