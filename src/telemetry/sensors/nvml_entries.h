/* The entries of NVIDIA's management library that Flyball calls: the one list, for the program
 * (nvml_api.cc), which calls them, and for flyball-nvml (flyball_nvml.c), which calls them for a
 * static program. Plain C.
 *
 * X(entry, symbol, older symbol or 0, form): the form says what it takes beside the GPU, and gives.
 */
#pragma once

#define FLYBALL_NVML_ENTRIES(X)                                           \
  X(name, "nvmlDeviceGetName", 0, text)                                   \
  X(uuid, "nvmlDeviceGetUUID", 0, text)                                   \
  X(energy, "nvmlDeviceGetTotalEnergyConsumption", 0, counter)            \
  X(power, "nvmlDeviceGetPowerUsage", 0, number)                          \
  X(clock, "nvmlDeviceGetClockInfo", 0, number_of)                        \
  X(utilization, "nvmlDeviceGetUtilizationRates", 0, two_in_one)          \
  X(throttle_reasons, "nvmlDeviceGetCurrentClocksEventReasons",           \
    "nvmlDeviceGetCurrentClocksThrottleReasons", counter)                 \
  X(temperature, "nvmlDeviceGetTemperature", 0, number_of)                \
  X(memory, "nvmlDeviceGetMemoryInfo", 0, three_counters)                 \
  X(mig_mode, "nvmlDeviceGetMigMode", 0, two)                             \
  X(compute_processes, "nvmlDeviceGetComputeRunningProcesses_v3",         \
    "nvmlDeviceGetComputeRunningProcesses_v2", processes)                 \
  X(graphics_processes, "nvmlDeviceGetGraphicsRunningProcesses_v3",       \
    "nvmlDeviceGetGraphicsRunningProcesses_v2", processes)                \
  X(process_use, "nvmlDeviceGetProcessUtilization", 0, uses)              \
  X(power_limits, "nvmlDeviceGetPowerManagementLimitConstraints", 0, two) \
  X(default_limit, "nvmlDeviceGetPowerManagementDefaultLimit", 0, number) \
  X(power_limit, "nvmlDeviceGetPowerManagementLimit", 0, number)          \
  X(enforced_limit, "nvmlDeviceGetEnforcedPowerLimit", 0, number)         \
  X(set_power_limit, "nvmlDeviceSetPowerManagementLimit", 0, set_one)     \
  X(memory_clocks, "nvmlDeviceGetSupportedMemoryClocks", 0, list)         \
  X(graphics_clocks, "nvmlDeviceGetSupportedGraphicsClocks", 0, list_of)  \
  X(lock_gpu, "nvmlDeviceSetGpuLockedClocks", 0, set_two)                 \
  X(unlock_gpu, "nvmlDeviceResetGpuLockedClocks", 0, set_none)            \
  X(lock_memory, "nvmlDeviceSetMemoryLockedClocks", 0, set_two)           \
  X(unlock_memory, "nvmlDeviceResetMemoryLockedClocks", 0, set_none)
