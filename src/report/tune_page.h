// The page of a tune (docs/report-data.md).
#pragma once

#include <string>

#include "answers/tune_result.h"
#include "base/json.h"

namespace flyball {

/// Of an answer as `--json` prints it, and how its choice is applied; `command` as it was typed.
/// `configurations` is null: a run that is reopened keeps no predictions of the others.
Json tune_page(const Json& answer, const std::string& command);
/// With all configurations, measured and predicted.
Json tune_page(const Json& answer, const TuneResult& result);

}  // namespace flyball
