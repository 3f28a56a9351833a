// Energy as a sum over stretches of time. Inside the room: energy.h is what others call.
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "telemetry/sampling/energy.h"

namespace flyball {

/// A stretch over which power goes linearly from one value to another.
struct PowerSegment {
  int64_t begin_ns, end_ns;
  double begin_w, end_w;
  bool known;  ///< false: nobody knows what happened in it
};

/// Adds energy, coverage and gaps of the segments, which follow one another, between two times.
void integrate(const std::vector<PowerSegment>& segments, int64_t begin_ns, int64_t end_ns,
               EnergyWindow& window);

}  // namespace flyball
