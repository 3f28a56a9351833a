// The roofs of this machine by microbenchmarks: peaks of arithmetic by width and precision,
// bandwidth, the way between them, what a parallel region takes to begin and end, idle power, and
// the energy of each where power can be read.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "device/device.h"
#include "device/power_meter.h"
#include "roofs/board_roofs.h"

namespace flyball {

struct RoofOptions {
  double seconds = 0.3;    ///< of each benchmark; where power is read, until it is known
  double array_bytes = 0;  ///< of each array; 0: four times the last cache, and no less than 64 MB
  std::vector<double> intensities = {0.25, 0.5, 1, 2, 4, 8, 16, 32};  ///< about; FLOP per byte read
  double idle_s = 5;                                                  ///< of idle power
  const std::atomic<bool>* interrupted = nullptr;
  std::function<void(size_t done, size_t total, const std::string& what)> progress{};
};

/// Bytes of each array that the options mean on this machine, and no more than an eighth of the
/// memory that is left.
double roof_array_bytes(const RoofOptions& options);

/// The named modes; where there are none, the mode that the board is in and each axis that can be
/// set and nobody has to ask for at its lowest value. Every such axis that one leaves out is at its
/// cap: what is measured is known by all of them.
std::vector<PowerMode> roof_modes(const Device& device, std::vector<PowerMode> named = {});

/// Measures one mode after the other, each on as many threads as it has cores; the last one stays
/// until it is restored. An empty mode is the board as it is. Errors: a mode cannot be set;
/// `interrupted`; no memory.
Result<BoardRoofs> measure_roofs(Device& device, PowerMeter& meter,
                                 const std::vector<PowerMode>& modes, const RoofOptions& options);

}  // namespace flyball
