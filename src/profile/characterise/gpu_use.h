// What a stretch of work did to the GPU that it ran on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "telemetry/sampling/trace.h"

namespace flyball {

/// Each figure where the board has that sensor.
struct GpuUse {
  size_t gpu = 0;                      ///< which: its number in the names of the sensors
  std::optional<double> load_pct;      ///< share of time that a kernel ran, mean of the samples
  std::optional<double> clock_mhz;     ///< mean of the samples
  std::optional<double> memory_bytes;  ///< in use by everybody, at most

  bool known() const { return load_pct || clock_mhz || memory_bytes; }
};

/// Of GPU number `gpu`, from the traces of telemetry/sensors/nvidia.h; number 0 is also a board's
/// own (board_sensors.h), whose memory is the machine's. Nothing where no sensor of it has a sample
/// in the window.
std::optional<GpuUse> gpu_use_between(const std::vector<Trace>& traces, size_t gpu,
                                      int64_t begin_ns, int64_t end_ns);

/// Of the GPU with most load: of a program nobody else knows where it computes.
std::optional<GpuUse> busiest_gpu_between(const std::vector<Trace>& traces, int64_t begin_ns,
                                          int64_t end_ns);

}  // namespace flyball
