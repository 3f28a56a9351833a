// Which axes of a device a space of trials holds.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "device/device.h"
#include "space/space.h"

namespace flyball {

/// All but those that are set for nobody who does not ask (AxisState::asked): of these, the
/// ones that `open` names.
std::vector<Axis> offered_axes(const Device& device, std::span<const Axis> open);

/// Batch sizes that a service chooses among unless others are named: 1, 2, 4, … 64.
std::vector<double> served_batches();

/// An axis of power modes that this device lacks is no run axis: the error says why it is missing.
Status check_not_missing(const Device& device, const std::string& axis);

/// The first configuration nearest to the wanted settings: least in the sum over all axes of
/// |log(1 + value) − log(1 + wanted)|. An axis that is not named is wanted at 0.
size_t nearest_config(const Space& space, Settings wanted);

}  // namespace flyball
