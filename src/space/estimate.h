// A figure with its 90 % interval, and how several readings of one thing become one.
#pragma once

#include <limits>
#include <span>

#include "space/measurement.h"

namespace flyball {

/// The bounds are those of the 90 % interval; NaN where nothing tells them.
struct Estimate {
  double value = std::numeric_limits<double>::quiet_NaN();
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
  Provenance provenance = Provenance::predicted;
};

/// A value and the relative standard error of its own.
struct NoisyReading {
  double value = 0;
  double noise = unknown_noise;  ///< a fraction, or unknown_noise
};

/// Readings of one figure as their median, with an interval that is never below zero (bounds are
/// taken in logarithms); NaN for none.
///
/// - One reading: the interval of its own noise; none (NaN) where that is not known.
/// - Two: from the lower end of one to the upper end of the other. Where their own noise is not
///   known, Student's t of two values.
/// - More: Student's t with the spread from the median absolute deviation, so that one disturbed
///   reading of three does not count; at least the interval of a reading's own noise.
///
/// Where their own noise is not known, readings that are equal tell none (NaN): two figures that a
/// program tells with few digits are no exact ones.
Estimate pooled(std::span<const NoisyReading> readings, Provenance provenance);

/// A figure of several boards, each of which counts once: the mean of what they read, with
/// Student's t of what they differ by, and at least the interval of their own noise. Of one board
/// its own.
Estimate of_boards(std::span<const NoisyReading> boards, Provenance provenance);

}  // namespace flyball
