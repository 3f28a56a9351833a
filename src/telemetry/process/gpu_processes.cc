#include "telemetry/process/gpu_processes.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace flyball {
namespace {

constexpr size_t most_processes = 512;
constexpr unsigned long long most_bytes = 1ULL << 50;  // "not known" is beyond it
constexpr unsigned long long looked_back_us = 2'000'000;

void add(std::optional<double>& sum, double value) {
  sum = sum.value_or(0) + value;
}

template <class Entry>
void add_memory(const Entry& entry, NvmlDevice device, std::map<int, ProcessGpuUse>& uses) {
  std::array<NvmlProcessMemory, most_processes> list;
  unsigned count = most_processes;
  if (!entry || entry(device, &count, list.data()) != nvml_success) return;
  for (size_t i = 0; i < std::min<size_t>(count, most_processes); ++i)
    if (list[i].bytes < most_bytes)
      add(uses[static_cast<int>(list[i].pid)].bytes, static_cast<double>(list[i].bytes));
}

// Several values of a process are of several periods: the newest counts.
void add_busy(const NvidiaGpu& gpu, std::map<int, ProcessGpuUse>& uses) {
  if (!gpu.api->process_use) return;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto now_us = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  std::array<NvmlProcessUse, most_processes> list;
  unsigned count = most_processes;
  if (gpu.api->process_use(gpu.device, list.data(), &count,
                           static_cast<unsigned long long>(now_us) - looked_back_us) !=
      nvml_success)
    return;
  std::map<unsigned, NvmlProcessUse> newest;
  for (size_t i = 0; i < std::min<size_t>(count, most_processes); ++i) {
    NvmlProcessUse& one = newest[list[i].pid];
    if (list[i].time_us >= one.time_us) one = list[i];
  }
  for (const auto& [pid, use] : newest)
    add(uses[static_cast<int>(pid)].busy, std::min(use.gpu, 100U) / 100.0);
}

}  // namespace

GpuProcesses::GpuProcesses(const std::filesystem::path& root) {
  if (auto gpus = list_nvidia_gpus(root)) gpus_ = *std::move(gpus);
}

std::map<int, ProcessGpuUse> GpuProcesses::look() const {
  std::map<int, ProcessGpuUse> uses;
  for (const NvidiaGpu& gpu : gpus_) {
    add_memory(gpu.api->compute_processes, gpu.device, uses);
    add_memory(gpu.api->graphics_processes, gpu.device, uses);
    add_busy(gpu, uses);
  }
  return uses;
}

}  // namespace flyball
