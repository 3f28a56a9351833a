// NVIDIA GPUs: energy, power, clocks, utilisation, throttling, temperature, memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/sensors/sensor.h"

namespace flyball {

struct NvidiaOptions {
  std::string library = "libnvidia-ml.so.1";
  /// GPUs that belong to the total "gpu": as CUDA_VISIBLE_DEVICES writes it ("0,2", "GPU-1a2b…");
  /// nothing = all of them.
  std::optional<std::string> visible;
};

/// Sensors "gpu0_energy" (J), "gpu0_power" (W), "gpu0_mhz", "gpu0_mem_mhz", "gpu0_busy" (%),
/// "gpu0_mem_busy" (%), "gpu0_throttle" (bits), "gpu0_temperature" (C), "gpu0_memory" (B) of each
/// GPU. Every metric is asked once: those that the board does not answer are gaps of their own. The
/// energy counter makes up the total, else power does: the power sensor averages, and may look at a
/// fraction of the time.
SensorList open_nvidia(const NvidiaOptions& options = {});

/// CUDA_VISIBLE_DEVICES of this process, nothing when it is not set.
std::optional<std::string> visible_gpus();

/// What the bits of a "gpu0_throttle" sensor mean, e.g. {"thermal slowdown", "power cap"}. Idling
/// and clocks that were asked for are no throttling and are left out.
std::vector<std::string> throttle_reasons(uint64_t bits);

/// Does the GPU run more slowly than its mode says, because of heat, a power supply or the board? A
/// power cap alone does not count: it is a setting (axis power_limit_w).
bool is_throttled(uint64_t bits);

}  // namespace flyball
