// A trial that begins now, before anything is known of it.
#pragma once

#include "profile/trials/profiler.h"

namespace flyball {

/// A measurement of this trial on the board of `info`, under its conditions.
Measurement begin_measurement(const ProfilerInfo& info, Trial trial);

}  // namespace flyball
