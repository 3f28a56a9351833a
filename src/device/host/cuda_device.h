// This machine with one of its NVIDIA GPUs: the host's knobs, and those that the driver offers.
#pragma once

#include <filesystem>
#include <memory>

#include "base/status.h"
#include "device/host/board_device.h"
#include "telemetry/sensors/nvidia_gpus.h"

namespace flyball {

/// The knobs of "cuda:N". Axes of the GPU are set on request alone (AxisState::asked); without the
/// library, or where it is not known which GPU that is, there are none, and a problem says why.
/// `journal` as in BoardDeviceOptions.
std::unique_ptr<BoardDevice> open_cuda_knobs(const std::filesystem::path& root, size_t n,
                                             const std::filesystem::path& journal = {});

/// "NVIDIA H200, driver 550.54": what of a GPU decides how fast it is; "" where nothing is told.
std::string describe_gpu(const NvidiaGpu& gpu);

}  // namespace flyball
