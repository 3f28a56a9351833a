// The page of a tune from what the store has kept of it.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "store/run.h"

namespace flyball {

/// Of a run whose answer is what `flyball tune --json` prints. Predictions are kept of the choice,
/// the default and the front alone; a note says so.
nlohmann::ordered_json stored_tune_report(const StoredRun& run,
                                          const std::vector<StoredMeasurement>& trials);

}  // namespace flyball
