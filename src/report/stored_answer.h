// The answer of a stored run as `--json` prints answers now.
#pragma once

#include <vector>

#include "base/json.h"
#include "experiment/stored_figures.h"
#include "store/run.h"

namespace flyball {

/// With what programs before this one did not keep of it, as far as the run and its trials, or the
/// measured runs of an experiment, say it; what nobody knows is empty or null.
Json complete_answer(const StoredRun& run, const std::vector<StoredMeasurement>& trials,
                     const std::vector<StoredFigures>& experiment_runs = {});

}  // namespace flyball
