// This machine: cores by affinity, CPU clock where cpufreq can be set.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "device/host/board_device.h"

namespace flyball {

struct HostOptions {
  std::filesystem::path root = "/";       ///< of /proc and /sys
  std::filesystem::path journal{};        ///< "" takes board_journal(); never below `root`'s sys/
  std::vector<int> cpus{};                ///< "" takes those this process may use
  bool pin_threads = true;                ///< false in tests: leave our threads alone
  SettingFiles* files = &kernel_files();  ///< what stands behind the knobs
};

/// Axes `cpu_cores` (1 … usable cores) and, where it can be set, `cpu_mhz`. Puts back first what a
/// dead flyball left; what cannot be put back is one of its gaps, and an error of claim().
Result<std::unique_ptr<Device>> open_host(const HostOptions& options = {});

/// What it is made of, for a device with further knobs.
BoardDevice::Parts host_parts(const HostOptions& options = {});

/// The same, with its knobs to look at.
std::unique_ptr<BoardDevice> open_host_knobs(const HostOptions& options = {});

}  // namespace flyball
