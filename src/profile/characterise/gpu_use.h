// What a stretch of work did to the GPU that it ran on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "telemetry/sampling/trace.h"

namespace flyball {

/// Each figure where the board has that sensor.
struct GpuUse {
  std::optional<double> load_pct;      ///< share of time that a kernel ran, mean of the samples
  std::optional<double> clock_mhz;     ///< mean of the samples
  std::optional<double> memory_bytes;  ///< in use by everybody, at most

  bool known() const { return load_pct || clock_mhz || memory_bytes; }
};

/// Of the GPU that `compute` names ("cuda:1"), else of the first one, from the traces of
/// telemetry/sensors/nvidia.h. Nothing where no sensor of it has a sample in the window.
std::optional<GpuUse> gpu_use_between(const std::vector<Trace>& traces, const std::string& compute,
                                      int64_t begin_ns, int64_t end_ns);

}  // namespace flyball
