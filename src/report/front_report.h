// Pareto fronts of measured tables as a page, with a heat map of each (docs/report-data.md).
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "space/table.h"

namespace flyball {

/// Tables without repeats. Time and energy are those of a sample where the batch size varies.
nlohmann::ordered_json front_report(std::span<const WorkloadTable> tables,
                                    const std::string& command);

}  // namespace flyball
