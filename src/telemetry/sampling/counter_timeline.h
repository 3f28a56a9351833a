// The course of an energy counter whose source updates in steps (NVIDIA's every 20 to 100 ms).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "telemetry/sampling/trace.h"

namespace flyball {

/// A moment at which the amount is known: the counter took a new value, or had stood for longer
/// than its source needs for one. It lies within `spread_s` of `time_ns` on either side, between
/// the two readings that saw the value change.
struct CounterKnot {
  int64_t time_ns = 0;
  double spread_s = 0;
  double amount = 0;      ///< since the first reading, wraps undone
  bool known = true;      ///< is the stretch from the knot before known? Not around a reset
  bool moved = false;     ///< a new value
  int64_t sample_ns = 0;  ///< the reading that showed it
};

/// What was read, as knots between which power is taken to be constant.
class CounterTimeline {
 public:
  /// Of some readings of `trace` in a row.
  CounterTimeline(const Trace& trace, std::span<const Sample> samples);
  explicit CounterTimeline(const Trace& trace) : CounterTimeline(trace, trace.samples) {}
  /// The longest that the source leaves a value standing, in s: what its driver states or the trace
  /// shows (half as long again, since updates are not regular); 0 = it updates at once.
  static double step_s(const Trace& trace);

  const std::vector<CounterKnot>& knots() const { return knots_; }
  int wraps() const { return wraps_; }

  /// Mean power of the stretch that ends at knot `i` (1 …).
  double watts(size_t i) const;
  /// Mean power of the stretches before the last knot, or after the first one: at least two steps
  /// long where there are as many, so that the spread of its ends matters little.
  double last_watts() const { return outer(true).watts; }
  double first_watts() const { return outer(false).watts; }
  /// How far the amount at `time_ns`, interpolated or extrapolated, may be off, in J: because of
  /// when its knots were, and because power may have changed between them by as much as it differs
  /// between the neighbouring stretches.
  double bound(int64_t time_ns) const;
  /// Mean power over new values that lie apart at least four times as far as their spreads add up
  /// to, of those whose reading lies between the two times.
  std::vector<double> updates(int64_t begin_ns, int64_t end_ns) const;
  /// New values whose reading lies between the two times.
  int moves(int64_t begin_ns, int64_t end_ns) const;

 private:
  struct Outer {
    double watts = 0, length_s = 0, spread_s = 0;
  };
  Outer outer(bool last) const;
  double highest_mean() const;
  double outside(double distance_s, bool last) const;
  double inside(size_t next, int64_t time_ns) const;

  void add_standing(int64_t since_ns, CounterKnot now);

  std::vector<CounterKnot> knots_;
  double step_s_ = 0, baseline_s_ = 0;
  int wraps_ = 0;
};

}  // namespace flyball
