// The page of a tune (docs/report-data.md).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "answers/tune_result.h"

namespace flyball {

/// Of an answer as `--json` prints it, and how its choice is applied; `command` as it was typed.
/// `configurations` is null: a run that is reopened keeps no predictions of the others.
nlohmann::ordered_json tune_page(const nlohmann::ordered_json& answer, const std::string& command);
/// With all configurations, measured and predicted.
nlohmann::ordered_json tune_page(const nlohmann::ordered_json& answer, const TuneResult& result);

}  // namespace flyball
