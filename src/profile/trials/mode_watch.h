// Does the board do what its mode says? Looked at before a trial, and at its end.
#pragma once

#include <string>
#include <vector>

#include "device/device.h"

namespace flyball {

/// A pinned clock that reads so much lower than it was asked for has been throttled, a fraction.
inline constexpr double clock_tolerance = 0.05;

/// "gpu_mhz 918 reads 612": axes of the mode that the board does not keep; empty where it keeps all
/// or does not tell.
std::vector<std::string> not_kept(const Device& device, const PowerMode& mode);

/// Waits at least `settle_s` after a mode was set, and until the board keeps it, at most ten times
/// as long. Returns how long it took, in seconds.
double settle(const Device& device, const PowerMode& mode, double settle_s);

}  // namespace flyball
