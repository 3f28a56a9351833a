// Which axes of a device a space of trials holds.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "device/device.h"

namespace flyball {

/// All but those that are set for nobody who does not ask (AxisState::asked): of these, the
/// ones that `open` names.
std::vector<Axis> offered_axes(const Device& device, std::span<const Axis> open);

/// An axis of power modes that this device lacks is no run axis: the error says why it is missing.
Status check_not_missing(const Device& device, const std::string& axis);

}  // namespace flyball
