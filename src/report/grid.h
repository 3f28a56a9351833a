// Time, power and energy over the axes of a table, for the page's heat map.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "space/table.h"

namespace flyball {

/// Of each table its distinct configurations, without an axis that has one value: `tables` of a
/// page (docs/report-data.md).
nlohmann::ordered_json table_grids(std::span<const WorkloadTable> tables);

}  // namespace flyball
