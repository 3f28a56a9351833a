// The answer of a tune, or of a study, as the store has kept it.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "answers/tune_result.h"
#include "store/run.h"

namespace flyball {

/// What the run answered, from its document (`flyball tune --json`) and its trials. Predictions are
/// kept of the choice, the default and the front alone: `space` holds these and what was profiled.
/// What the document misses is empty.
TuneResult stored_tune(const StoredRun& run, const std::vector<StoredMeasurement>& trials);

}  // namespace flyball
