// The report of a tune as the document that the page shows (docs/report-data.md).
#pragma once

#include <nlohmann/json.hpp>

#include "answers/tune_result.h"
#include "store/run.h"

namespace flyball {

nlohmann::ordered_json tune_report(const TuneResult& result);

/// Of a stored run, with a note that says what is not kept.
nlohmann::ordered_json stored_tune_report(const StoredRun& run,
                                          const std::vector<StoredMeasurement>& trials);

}  // namespace flyball
