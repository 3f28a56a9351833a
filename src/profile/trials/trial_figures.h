// What a live trial's counted minibatches and power come to, whoever ran them.
#pragma once

#include "device/power_meter.h"
#include "profile/trials/stopping.h"
#include "space/measurement.h"

namespace flyball {

/// `stopping` with the round of the trial's loader workers, where it has that setting.
StoppingOptions stopping_of(StoppingOptions stopping, const Trial& trial);

/// Fills minibatch_ms, noise, stall_ms and compute_ms from `rule` and m.minibatches.
void take_times(const StoppingRule& rule, Measurement& m);

/// Ends the counted window: fills power, or power_gap with why there is none, and throttled.
void take_power(PowerMeter& meter, Measurement& m);

}  // namespace flyball
