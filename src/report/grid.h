// Time, power and energy over the axes of a table, for the page's heat map.
#pragma once

#include <span>

#include "base/json.h"
#include "space/table.h"

namespace flyball {

/// Of each table its distinct configurations, without an axis that has one value: `tables` of a
/// page (docs/report-data.md).
Json table_grids(std::span<const WorkloadTable> tables);

}  // namespace flyball
