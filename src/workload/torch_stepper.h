// The stepper of a network that is already made; steppers of the list are made by name (stepper.h).
#pragma once

#include <c10/core/Device.h>

#include <memory>

#include "workload/network.h"
#include "workload/stepper.h"

namespace flyball {

/// Puts the network on the device. Throws what LibTorch throws.
std::unique_ptr<Stepper> make_torch_stepper(std::shared_ptr<Network> network,
                                            const StepOptions& options, c10::Device device);

}  // namespace flyball
