// The report of a tune as the document that the page shows (docs/report-data.md).
#pragma once

#include <nlohmann/json.hpp>

#include "tune/tune.h"

namespace flyball {

nlohmann::ordered_json tune_report(const TuneResult& result);

}  // namespace flyball
