// Trials of a stored run beside a power log that was written meanwhile, joined by time.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "store/run.h"
#include "telemetry/sampling/energy.h"
#include "telemetry/sampling/trace.h"

namespace flyball {

struct LoggedTrial {
  const StoredMeasurement* trial = nullptr;
  /// Over its measured part: after settling and warm-up, until its end. Stored times are whole
  /// seconds, so the window may be off by one. Nothing where the log has a gap or does not reach.
  std::optional<EnergyWindow> window;
};

/// The live trials that the run made itself; failed ones are left out. Error `not_found`: the log
/// covers none of them.
Result<std::vector<LoggedTrial>> logged_trials(const StoredRun& run,
                                               std::span<const StoredMeasurement> trials,
                                               const Trace& log);

}  // namespace flyball
