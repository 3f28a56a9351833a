// The processes of a machine that use most of it, as a monitor lists them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "telemetry/process/gpu_processes.h"

namespace flyball {

struct ProcessUse {
  int pid = 0;
  std::string name;                   ///< plain text: what is none is shown as '?'
  double cpu_cores = 0;               ///< cores that it kept busy since the look before
  double memory_bytes = 0;            ///< resident
  std::optional<double> gpu_bytes{};  ///< memory for a GPU: of NVIDIA's library, of nvmap (Jetson)
  std::optional<double> gpu_busy{};   ///< GPUs that it kept busy, of NVIDIA's library
};

class TopProcesses {
 public:
  explicit TopProcesses(std::filesystem::path root = "/");
  /// Looks at all of them: those with most use of CPU and GPU first, then those that hold most
  /// memory for the GPU, then the largest. The first look counts from the start of each process.
  std::vector<ProcessUse> look(size_t most);

 private:
  struct Before {
    uint64_t ticks = 0, start = 0;  ///< a number that is used anew began at another tick
  };
  std::filesystem::path root_;
  GpuProcesses gpus_;
  std::map<int, Before> before_;
  int64_t looked_ns_ = 0;
};

/// "CLIENT PROCESS PID SIZE" of sys/kernel/debug/nvmap/iovmm/clients: bytes by process. Lines that
/// are not so are left out.
std::map<int, double> parse_nvmap_clients(std::string_view text);

}  // namespace flyball
