// The answer of a tune, or of a study, as the store has kept it.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "store/run.h"
#include "tune/tune.h"

namespace flyball {

/// What the run answered, from its document (`flyball tune --json`) and its trials. Predictions are
/// kept of the choice, the default and the front alone: `space` holds these and what was profiled.
/// What the document misses is empty.
TuneResult stored_tune(const StoredRun& run, const std::vector<StoredMeasurement>& trials);

/// Its page: that of the result, with a note that says what is not kept.
nlohmann::ordered_json stored_tune_report(const StoredRun& run,
                                          const std::vector<StoredMeasurement>& trials);

}  // namespace flyball
