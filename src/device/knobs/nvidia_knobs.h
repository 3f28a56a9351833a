// Knobs of an NVIDIA GPU: power limit, locked clock of the GPU and of its memory.
#pragma once

#include <vector>

#include "device/device.h"
#include "device/knobs/knob.h"
#include "telemetry/sensors/nvidia_gpus.h"

namespace flyball {

/// Adds what the driver offers: power_limit_w (steps of 5 W between its limits), gpu_mhz (the list
/// that goes with the highest memory clock), mem_mhz (memory clocks that go with all of these); and
/// why what is missing is missing. A GPU that is cut into slices (MIG) has none. Only asks.
void add_nvidia_knobs(const KnobPlace& place, const NvidiaGpu& gpu, std::vector<KnobPtr>& knobs,
                      std::vector<AxisGap>& gaps);

}  // namespace flyball
