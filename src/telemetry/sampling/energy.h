// Energy and power of a window of time, with its gaps stated.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "space/measurement.h"
#include "telemetry/sampling/trace.h"

namespace flyball {

struct TimeStretch {
  int64_t begin_ns = 0, end_ns = 0;
};

/// Energy between two moments. Where nothing was measured nothing is added: `energy_j` belongs to
/// `covered_s`, and `gap_s` says what is missing.
struct EnergyWindow {
  double energy_j = 0;  ///< trapezoid over power; or difference of a counter; edges interpolated
  /// By how much `energy_j` may be off because a counter moves in steps, and neither edge of the
  /// window is one: the sum of both. 0 for power sensors, whose values hold.
  double edge_j = 0;
  double mean_w = 0;  ///< energy_j / covered_s
  /// Σ P(t_i)(t_i − t_{i−1}), the rule of the papers (POMACS'22); of a counter `energy_j`.
  double rectangle_j = 0;
  double min_w = 0, max_w = 0;  ///< over the updates
  /// Relative standard error of the mean: of the distinct updates, and of both edges; infinite for
  /// fewer than two updates, e.g. in a window shorter than a step.
  double noise = 0;
  double window_s = 0, covered_s = 0, gap_s = 0, longest_gap_s = 0;
  int gaps = 0;                      ///< stretches without samples
  std::vector<TimeStretch> missing;  ///< those of a single sensor, in order
  int samples = 0;                   ///< inside the window
  int distinct_updates = 0;          ///< of them, how many were new values
  int wraps = 0;                     ///< of the counter
  /// The sensor shows one value, in the window and around it, though it had time for another.
  bool still = false;

  bool complete() const { return gaps == 0; }
};

/// Energy of a power sensor or energy counter between two monotonic times. At the edges the trace
/// may end up to two periods short of the window (the nearest value holds); anything longer is a
/// gap. Between the updates of a counter power is taken to be constant; `edge_j` says what that may
/// cost. Errors: another kind of sensor; an empty window; no samples in it; a counter that has not
/// moved and had no time to.
Result<EnergyWindow> energy_between(const Trace& trace, int64_t begin_ns, int64_t end_ns);

/// The sum of windows of the same stretch of time, in which none has a gap or all have the same:
/// sensors that belong to one total. What stands still adds no noise, and no sum has to wait for
/// its updates: there are as many as of the slowest part that moves.
EnergyWindow sum_of_parts(const std::vector<EnergyWindow>& parts);

/// Two windows of which one follows the other, as one. What is in doubt about the edge between them
/// is counted twice; a window too short to have a noise adds none.
EnergyWindow joined(const EnergyWindow& earlier, const EnergyWindow& later);

/// Sum of all sensors in `traces` that belong to `total`, over the time in which all of them are
/// known; the rest is a gap. Error `unavailable` when there is none, or when one of its parts has
/// no samples: a total never leaves a part out silently.
Result<EnergyWindow> total_between(const std::vector<Trace>& traces, const std::string& total,
                                   int64_t begin_ns, int64_t end_ns);

/// Names of the totals that these traces add up to, in the order of their first sensor.
std::vector<std::string> totals_of(const std::vector<Trace>& traces);

/// The window as a measurement keeps it. `wanted` counts the samples asked for, of all parts.
PowerReading power_reading(const EnergyWindow& window, const std::string& total, int wanted);

}  // namespace flyball
