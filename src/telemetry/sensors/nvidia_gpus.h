// NVIDIA GPUs as things with a name, and which of them "cuda:N" is.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/sensors/nvml_api.h"

namespace flyball {

struct NvidiaGpu {
  const NvmlApi* api = nullptr;
  NvmlDevice device = nullptr;
  unsigned index = 0;  ///< as the library and nvidia-smi count: by PCI bus
  std::string uuid{};  ///< "GPU-1a2b…": names it for good
  std::string name{};  ///< model; "" where it is not told
  std::string driver{};
  bool mig = false;  ///< is it cut into slices that others may use?
};

/// The management library of a machine or tree: the system's for "/", else
/// usr/lib/libnvidia-ml.so.1 below `root`, when nobody else can have written it. Errors:
/// `not_found` where a tree has none; `permission`.
Result<std::string> nvml_library(const std::filesystem::path& root);

/// All that the library tells of. Errors: those of nvml_library() and NvmlApi::open().
Result<std::vector<NvidiaGpu>> list_nvidia_gpus(const std::filesystem::path& root = "/");

/// What CUDA is told of GPUs by the environment.
struct CudaOrder {
  std::optional<std::string> visible{};  ///< CUDA_VISIBLE_DEVICES
  bool by_pci_bus = false;               ///< CUDA_DEVICE_ORDER=PCI_BUS_ID
};
CudaOrder cuda_order();

/// The GPU that CUDA calls number `n`. Errors: there is none; a slice of one (MIG); GPUs of several
/// models, which CUDA counts by speed and the library by bus, unless the order is told.
Result<NvidiaGpu> find_cuda_gpu(const std::vector<NvidiaGpu>& gpus, size_t n,
                                const CudaOrder& order);
/// The same on this machine; of a tree, the environment says nothing.
Result<NvidiaGpu> find_cuda_gpu(const std::filesystem::path& root, size_t n);

/// The number that sensors have of the GPU that computes at `place` ("cuda:1"), or of the first one
/// for "cpu". A board whose own GPU NVIDIA's library does not know has it as 0. Nothing where it is
/// not known which GPU that is.
std::optional<size_t> sensor_number(const std::filesystem::path& root, const std::string& place);

/// What a call of the library said, as an error that begins with `what`; fine when it went well.
Status nvml_status(const NvmlApi& api, int code, const std::string& what);

}  // namespace flyball
