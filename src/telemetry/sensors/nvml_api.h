// The few entries of NVIDIA's management library that Flyball calls, as its documentation (NVML API
// reference) declares them. Written out so that nothing of NVIDIA's is needed to build.
#pragma once

#include <functional>
#include <string>

#include "base/status.h"

namespace flyball {

using NvmlDevice = void*;
struct NvmlUtilization {
  unsigned gpu = 0, memory = 0;  ///< percent of the last period
};
struct NvmlMemory {
  unsigned long long total = 0, free = 0, used = 0;
};

/// A process that holds memory of a GPU, as of version 2 of the entries; `bytes` is huge where it
/// is not told.
struct NvmlProcessMemory {
  unsigned pid = 0;
  unsigned long long bytes = 0;
  unsigned instance = 0, compute_instance = 0;
};
struct NvmlProcessUse {
  unsigned pid = 0;
  unsigned long long time_us = 0;                          ///< since 1970
  unsigned gpu = 0, memory = 0, encoder = 0, decoder = 0;  ///< percent of the last period
};

/// Return codes that are told apart.
enum NvmlCode {
  nvml_success = 0,
  nvml_bad_argument = 2,
  nvml_not_supported = 3,
  nvml_no_permission = 4,
  nvml_lost = 15,
  nvml_unknown = 999,
};

/// The library, opened at run time: by this process, or by flyball-nvml where this program is
/// static (nvml_program.h). Every entry but the first four may be empty: old libraries lack some,
/// and boards answer others with "not supported".
struct NvmlApi {
  std::function<int(unsigned*)> device_count;
  std::function<int(unsigned, NvmlDevice*)> device;
  std::function<const char*(int)> error_string;
  std::function<int(NvmlDevice, char*, unsigned)> name;
  std::function<int(NvmlDevice, char*, unsigned)> uuid;
  std::function<int(char*, unsigned)> driver_version;
  std::function<int(NvmlDevice, unsigned long long*)> energy;  ///< mJ since the driver loaded
  std::function<int(NvmlDevice, unsigned*)> power;             ///< mW
  std::function<int(NvmlDevice, int, unsigned*)> clock;        ///< MHz; 0 = GPU, 1 = SM, 2 = memory
  std::function<int(NvmlDevice, NvmlUtilization*)> utilization;
  std::function<int(NvmlDevice, unsigned long long*)> throttle_reasons;
  std::function<int(NvmlDevice, int, unsigned*)> temperature;  ///< °C; 0 = the chip
  std::function<int(NvmlDevice, NvmlMemory*)> memory;
  std::function<int(NvmlDevice, unsigned* now, unsigned* after_reset)> mig_mode;
  // `count`: how many fit, then how many there are.
  std::function<int(NvmlDevice, unsigned* count, NvmlProcessMemory*)> compute_processes;
  std::function<int(NvmlDevice, unsigned* count, NvmlProcessMemory*)> graphics_processes;
  /// Of those that were busy since a time, which counts in whole seconds by flyball-nvml.
  std::function<int(NvmlDevice, NvmlProcessUse*, unsigned* count, unsigned long long since_us)>
      process_use;
  // Limits in mW. What is in force may lie below what was set.
  std::function<int(NvmlDevice, unsigned* least, unsigned* most)> power_limits;
  std::function<int(NvmlDevice, unsigned*)> default_limit;
  std::function<int(NvmlDevice, unsigned*)> power_limit;
  std::function<int(NvmlDevice, unsigned*)> enforced_limit;
  std::function<int(NvmlDevice, unsigned)> set_power_limit;
  // Lists in MHz; `count`: how many fit, then how many there are.
  std::function<int(NvmlDevice, unsigned* count, unsigned*)> memory_clocks;
  std::function<int(NvmlDevice, unsigned memory_mhz, unsigned* count, unsigned*)> graphics_clocks;
  std::function<int(NvmlDevice, unsigned low_mhz, unsigned high_mhz)> lock_gpu;
  std::function<int(NvmlDevice)> unlock_gpu;
  std::function<int(NvmlDevice, unsigned low_mhz, unsigned high_mhz)> lock_memory;
  std::function<int(NvmlDevice)> unlock_memory;

  /// Opens and initialises it once per process and path; it stays open until the process ends.
  /// Error `unavailable` when it is not installed, has no such entries or finds no driver, or when
  /// a static program lacks flyball-nvml.
  static Result<const NvmlApi*> open(const std::string& library = "libnvidia-ml.so.1");
  std::string message(int code) const;
};

/// Errors of open(): there is no such library; it lacks the entries; its start failed with a code.
Error no_nvml_library(const std::string& path);
Error not_nvml(const std::string& path);
Error nvml_start_error(int code, const std::string& reason);

/// A text of a device, such as its name; empty where it has none.
std::string nvml_text(const std::function<int(NvmlDevice, char*, unsigned)>& entry,
                      NvmlDevice device);

}  // namespace flyball
