// The few entries of NVIDIA's management library that Flyball calls, as its documentation (NVML API
// reference) declares them. Written out so that nothing of NVIDIA's is needed to build.
#pragma once

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

/// Return codes that are told apart.
enum NvmlCode {
  nvml_success = 0,
  nvml_bad_argument = 2,
  nvml_not_supported = 3,
  nvml_no_permission = 4,
  nvml_lost = 15,
};

/// The library, opened at run time. Every entry but the first five may be null: old libraries lack
/// some, and boards answer others with "not supported".
struct NvmlApi {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*device_count)(unsigned*) = nullptr;
  int (*device)(unsigned, NvmlDevice*) = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*name)(NvmlDevice, char*, unsigned) = nullptr;
  int (*uuid)(NvmlDevice, char*, unsigned) = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*energy)(NvmlDevice, unsigned long long*) = nullptr;  ///< mJ since the driver loaded
  int (*power)(NvmlDevice, unsigned*) = nullptr;             ///< mW
  int (*clock)(NvmlDevice, int, unsigned*) = nullptr;        ///< MHz; 0 = GPU, 1 = SM, 2 = memory
  int (*utilization)(NvmlDevice, NvmlUtilization*) = nullptr;
  int (*throttle_reasons)(NvmlDevice, unsigned long long*) = nullptr;
  int (*temperature)(NvmlDevice, int, unsigned*) = nullptr;  ///< °C; 0 = the chip
  int (*memory)(NvmlDevice, NvmlMemory*) = nullptr;
  int (*mig_mode)(NvmlDevice, unsigned* now, unsigned* after_reset) = nullptr;
  // Limits in mW. What is in force may lie below what was set.
  int (*power_limits)(NvmlDevice, unsigned* least, unsigned* most) = nullptr;
  int (*default_limit)(NvmlDevice, unsigned*) = nullptr;
  int (*power_limit)(NvmlDevice, unsigned*) = nullptr;
  int (*enforced_limit)(NvmlDevice, unsigned*) = nullptr;
  int (*set_power_limit)(NvmlDevice, unsigned) = nullptr;
  // Lists in MHz; `count`: how many fit, then how many there are.
  int (*memory_clocks)(NvmlDevice, unsigned* count, unsigned*) = nullptr;
  int (*graphics_clocks)(NvmlDevice, unsigned memory_mhz, unsigned* count, unsigned*) = nullptr;
  int (*lock_gpu)(NvmlDevice, unsigned low_mhz, unsigned high_mhz) = nullptr;
  int (*unlock_gpu)(NvmlDevice) = nullptr;
  int (*lock_memory)(NvmlDevice, unsigned low_mhz, unsigned high_mhz) = nullptr;
  int (*unlock_memory)(NvmlDevice) = nullptr;

  /// Opens and initialises it once per process and path; it stays open until the process ends.
  /// Error `unavailable` when it is not installed, has no such entries or finds no driver.
  static Result<const NvmlApi*> open(const std::string& library = "libnvidia-ml.so.1");
  std::string message(int code) const;
};

/// A text of a device, such as its name; empty where it has none.
std::string nvml_text(int (*entry)(NvmlDevice, char*, unsigned), NvmlDevice device);

}  // namespace flyball
