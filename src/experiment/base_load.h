// What the machine draws, and what watching it costs, while nothing trains.
#pragma once

#include <functional>

#include "base/status.h"
#include "experiment/runner.h"

namespace flyball {

/// Watches `settings.seconds` for each epoch in the state "idle" (power sensors once a second) or
/// "sampling" (power sensors at 100 Hz, what explains a run at 10 Hz). One epoch of the figures is
/// one such stretch: e2e_s, cpu_pct of this process, energy and power where they are measured, of
/// the total that trainings on `options.board` have.
/// Errors: sampling does not start; `interrupted`.
Result<RunFigures> watch_base_load(const RunSettings& settings, int repeat,
                                   const std::function<bool()>& interrupted,
                                   const ExperimentOptions& options);

}  // namespace flyball
