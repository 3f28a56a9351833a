// Energy of a counter: interpolated between its updates, with what its steps leave uncertain.
#pragma once

#include <cstdint>

#include "telemetry/sampling/energy.h"

namespace flyball {

/// energy_between() of an energy counter; nothing covered when there are no samples. Error
/// `unavailable`: it has not moved and had no time to.
Result<EnergyWindow> counter_energy_between(const Trace& trace, int64_t begin_ns, int64_t end_ns);

}  // namespace flyball
