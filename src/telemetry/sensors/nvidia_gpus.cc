#include "telemetry/sensors/nvidia_gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/text.h"
#include "space/compute_place.h"
#include "telemetry/sensors/firmware_tool.h"
#include "telemetry/sensors/nvidia.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

std::string driver_of(const NvmlApi& api) {
  std::array<char, 128> text{};
  if (api.driver_version == nullptr || api.driver_version(text.data(), text.size()) != nvml_success)
    return "";
  return text.data();
}

bool is_sliced(const NvmlApi& api, NvmlDevice device) {
  unsigned now = 0, after_reset = 0;
  return api.mig_mode != nullptr && api.mig_mode(device, &now, &after_reset) == nvml_success &&
         now != 0;
}

bool one_model(const std::vector<NvidiaGpu>& gpus) {
  return std::ranges::all_of(gpus, [&](const NvidiaGpu& gpu) { return gpu.name == gpus[0].name; });
}

Error no_such_gpu(size_t n, size_t count) {
  return {Code::not_found, fmt::format("there is no cuda:{} here", n),
          count == 0
              ? std::string("nvidia-smi should list it")
              : fmt::format("there {} {}, counted from 0", count == 1 ? "is" : "are", count)};
}

Error order_unknown(size_t n) {
  return {
      Code::unavailable,
      fmt::format("which GPU is cuda:{} is not known: there are several models, and CUDA counts "
                  "the fastest first",
                  n),
      "set CUDA_DEVICE_ORDER=PCI_BUS_ID, which counts as nvidia-smi does"};
}

}  // namespace

Result<std::string> nvml_library(const fs::path& root) {
  if (root == "/") return std::string("libnvidia-ml.so.1");
  const fs::path library = root / "usr/lib/libnvidia-ml.so.1";
  std::error_code ignored;
  if (!fs::exists(library, ignored))
    return Error{Code::not_found, "no NVIDIA management library (" + library.string() + ")",
                 "a tree has GPUs where it has a library of its own"};
  FLYBALL_CHECK(trusted_code(library, root));
  return library.string();
}

Result<std::vector<NvidiaGpu>> list_nvidia_gpus(const fs::path& root) {
  FLYBALL_ASSIGN(const std::string library, nvml_library(root));
  FLYBALL_ASSIGN(const NvmlApi* api, NvmlApi::open(library));
  unsigned count = 0;
  FLYBALL_CHECK(nvml_status(*api, api->device_count(&count), "GPUs cannot be counted"));
  std::vector<NvidiaGpu> gpus;
  for (unsigned index = 0; index < count; ++index) {
    NvidiaGpu gpu{.api = api, .index = index};
    if (api->device(index, &gpu.device) != nvml_success) continue;  // its sensors say why
    gpu.uuid = nvml_text(api->uuid, gpu.device);
    gpu.name = nvml_text(api->name, gpu.device);
    gpu.driver = driver_of(*api);
    gpu.mig = is_sliced(*api, gpu.device);
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

CudaOrder cuda_order() {
  const char* order = std::getenv("CUDA_DEVICE_ORDER");
  return {visible_gpus(), order != nullptr && std::string_view(order) == "PCI_BUS_ID"};
}

Result<NvidiaGpu> find_cuda_gpu(const std::vector<NvidiaGpu>& gpus, size_t n,
                                const CudaOrder& order) {
  const bool certain = order.by_pci_bus || one_model(gpus);
  if (!order.visible) {
    if (n >= gpus.size()) return no_such_gpu(n, gpus.size());
    return certain ? Result<NvidiaGpu>(gpus[n]) : order_unknown(n);
  }
  const std::vector<std::string> entries = split(*order.visible, ',');
  if (n >= entries.size() || trim(entries[n]).empty()) return no_such_gpu(n, n);
  const std::string entry(trim(entries[n]));
  if (entry.starts_with("MIG-"))
    return Error{Code::unavailable, fmt::format("cuda:{} is a slice of a GPU ({})", n, entry),
                 "clocks and power limit belong to the whole GPU, which others use as well"};
  if (!entry.starts_with("GPU-") && !certain) return order_unknown(n);
  const auto found = std::ranges::find_if(gpus, [&](const NvidiaGpu& gpu) {
    return entry.starts_with("GPU-") ? gpu.uuid.starts_with(entry)
                                     : parse_integer(entry) == static_cast<long long>(gpu.index);
  });
  return found != gpus.end() ? Result<NvidiaGpu>(*found) : no_such_gpu(n, gpus.size());
}

// Of a tree, the environment says nothing.
CudaOrder order_at(const fs::path& root) {
  return root == "/" ? cuda_order() : CudaOrder{.by_pci_bus = true};
}

Result<NvidiaGpu> find_cuda_gpu(const fs::path& root, size_t n) {
  FLYBALL_ASSIGN(const auto gpus, list_nvidia_gpus(root));
  return find_cuda_gpu(gpus, n, order_at(root));
}

std::optional<size_t> sensor_number(const fs::path& root, const std::string& place) {
  const auto number = cuda_number(place);
  if (!number) return 0;
  const auto gpus = list_nvidia_gpus(root);
  if (!gpus) return *number == 0 ? number : std::nullopt;
  const auto gpu = find_cuda_gpu(*gpus, *number, order_at(root));
  return gpu ? std::optional<size_t>(gpu->index) : std::nullopt;
}

Status nvml_status(const NvmlApi& api, int code, const std::string& what) {
  if (code == nvml_success) return {};
  const Code kind = code == nvml_no_permission   ? Code::permission
                    : code == nvml_not_supported ? Code::unavailable
                    : code == nvml_bad_argument  ? Code::invalid_argument
                                                 : Code::io;
  return Error{
      kind, what + ": " + api.message(code),
      code == nvml_no_permission ? "run as root; in a container the host may forbid it" : ""};
}

}  // namespace flyball
