#include "device/host/cuda_device.h"

#include <fmt/format.h>

#include "device/host/host.h"
#include "device/knobs/nvidia_knobs.h"
#include "space/board_fingerprint.h"

namespace flyball {

std::string describe_gpu(const NvidiaGpu& gpu) {
  if (gpu.name.empty()) return "";
  return gpu.driver.empty() ? gpu.name : fmt::format("{}, driver {}", gpu.name, gpu.driver);
}

std::unique_ptr<BoardDevice> open_cuda_knobs(const std::filesystem::path& root, size_t n,
                                             const std::filesystem::path& journal) {
  BoardDevice::Parts parts = host_parts({.root = root});
  const std::string place = fmt::format("cuda:{}", n);
  const auto gpu = find_cuda_gpu(root, n);
  const std::string model = gpu ? describe_gpu(*gpu) : "";
  parts.info.name = place;
  parts.info.title += fmt::format(", network on {}{}", gpu ? gpu->name + " " : "", place);
  parts.info.fingerprint =
      BoardFingerprint{parts.info.fingerprint, place, model.empty() ? "not told" : model}.text();
  if (!gpu) {
    parts.gaps.push_back({{axis::power_limit_w, axis::gpu_mhz, axis::mem_mhz},
                          gpu.error().within("power_limit_w, gpu_mhz and mem_mhz cannot be set")});
  } else {
    parts.asked_from = parts.knobs.size();
    add_nvidia_knobs({root}, *gpu, parts.knobs, parts.gaps);
  }
  return std::make_unique<BoardDevice>(BoardDeviceOptions{.root = root, .journal = journal},
                                       std::move(parts));
}

}  // namespace flyball
