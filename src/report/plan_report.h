// The report of a plan as the document that the page shows (docs/report-data.md).
#pragma once

#include <nlohmann/json.hpp>

#include "store/run.h"

namespace flyball {

/// Of a run whose answer is what `flyball plan --json` prints. A run that no store keeps has id 0.
nlohmann::ordered_json plan_report(const StoredRun& run);

}  // namespace flyball
