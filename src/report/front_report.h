// Pareto fronts of measured tables as a page, with a heat map of each (docs/report-data.md).
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "space/fronts.h"

namespace flyball {

nlohmann::ordered_json front_report(std::span<const Fronts> workloads, const std::string& command);

}  // namespace flyball
