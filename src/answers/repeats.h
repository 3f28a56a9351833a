// Several readings of one configuration as one figure with its 90 % interval.
#pragma once

#include <span>

#include "answers/tune_result.h"

namespace flyball {

/// The readings of one configuration (none of them failed), pooled: the median, and an interval
/// that is never below zero (bounds are taken in logarithms).
///
/// - One reading: the interval of its own noise; none (NaN) where that is not known.
/// - Two: from the lower end of one to the upper end of the other. Where their own noise is not
///   known, Student's t of two values.
/// - More: Student's t with the spread from the median absolute deviation, so that one disturbed
///   reading of three does not count; at least the interval of a reading's own noise.
///
/// The interval of a time holds its fastest reading: what disturbs makes a trial slower.
Configuration pooled(std::span<const Measurement* const> readings);

}  // namespace flyball
