// An arrival rate that changes over time: which mode in which window, when changing it costs.
#pragma once

#include <optional>

#include "problem/exact.h"

namespace flyball {

/// A stretch of time with one arrival rate.
struct RateWindow {
  double rate_hz = 0;
  double seconds = 0;
};

/// What to do in one window.
struct WindowPlan {
  RateWindow window;
  Choice choice;
  bool switches = false;  ///< the mode differs from the window's before
  /// Energy of that change, J: its time at the larger power, and its own; nothing where the power
  /// of one of the modes is not known.
  std::optional<double> switch_j = 0.0;
};

struct DynamicPlan {
  std::vector<WindowPlan> windows;
  size_t switches = 0;
  /// The objective over all windows, switches counted: θ and n give the mean training minibatches
  /// per second, power the mean W, energy the mean J of a request, latency and time the mean ms of
  /// a request (its switch waited for). A switch takes its time out of the window that it begins.
  double value = 0;
  /// The same when the best static mode is kept throughout; `unlimited` when no mode can be.
  double static_value = unlimited;
};

/// The plan of least total cost over the profiles already made (`readings`, NaN where there is
/// none), by dynamic programming over modes, exact. The last role's rate is replaced by the
/// windows'; batch sizes change freely, a change of mode takes problem.switch_ms. Errors: a window
/// without a rate or length; a window that no profiled choice serves (what binds, and how near).
Result<DynamicPlan> plan_dynamic(const Problem& problem, const Readings& readings,
                                 std::span<const RateWindow> windows);

}  // namespace flyball
