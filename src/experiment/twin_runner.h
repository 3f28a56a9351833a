// An experiment on a simulated board: its settings where the twin has the knob, and no time passes.
#pragma once

#include "device/registry/board.h"
#include "experiment/runner.h"

namespace flyball {

/// Every setting and every repeat, simulated and kept nowhere but in what this returns. The set is
/// the workload's own; a medium is the board's storage of that name, else its first, throttled;
/// memory_pct is the share of the set that the page cache can hold; threads are those of the mode's
/// cores, and where they vary all but 0 is left out. Errors: settings that a
/// simulated board has no knob for (a sample cache), each named; modes and values
/// that the board has not; what simulate_epochs() says.
Result<ExperimentResult> simulate_experiment(const ExperimentSpec& spec,
                                             const ExperimentOptions& options, const Board& board);

}  // namespace flyball
