// The report of an experiment as the document that the page shows (docs/report-data.md).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "experiment/runner.h"

namespace flyball {

/// `command` as it was typed.
nlohmann::ordered_json experiment_report(const ExperimentResult& result,
                                         const std::string& command);

}  // namespace flyball
