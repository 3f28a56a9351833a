// Several readings of one configuration as one figure with its 90 % interval.
#pragma once

#include <span>

#include "answers/tune_result.h"

namespace flyball {

/// The readings of one configuration (none of them failed), pooled as in space/estimate.h. The
/// interval of a time holds its fastest reading: what disturbs makes a trial slower.
Configuration pooled(std::span<const Measurement* const> readings);

}  // namespace flyball
