// Axes of a program that the user starts with us, and the places of its command that take them.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "device/device.h"
#include "space/axis.h"

namespace flyball {

/// The device's axes, narrowed where an open one is of that name, and the open ones as run axes.
/// Errors: a value that the device does not have; an axis of boards that this one lacks.
Result<std::vector<Axis>> program_axes(const Device& device, const std::vector<Axis>& open);

/// "{batch_size}"
std::string placeholder(const std::string& name);
/// A word with the settings in place of their placeholders.
std::string filled_in(std::string word, const Settings& settings);
std::vector<std::string> filled_in(std::vector<std::string> argv, const Settings& settings);

}  // namespace flyball
