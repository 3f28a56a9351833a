// What processes do on NVIDIA GPUs, as NVIDIA's library tells it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "telemetry/sensors/nvidia_gpus.h"

namespace flyball {

/// Of all GPUs together. Of a container's processes the library may tell numbers that they have
/// outside: those are of no process here.
struct ProcessGpuUse {
  std::optional<double> bytes{};  ///< that it holds; nothing where the library does not tell
  std::optional<double> busy{};   ///< GPUs that it kept busy in the last second or two
};

class GpuProcesses {
 public:
  /// None where there is no such library, as on Jetsons before JetPack 7.
  explicit GpuProcesses(const std::filesystem::path& root = "/");
  /// By process.
  std::map<int, ProcessGpuUse> look() const;

 private:
  std::vector<NvidiaGpu> gpus_;
};

}  // namespace flyball
