// Time, power and energy over the axes of a table, for the page's heat map.
#pragma once

#include <nlohmann/json.hpp>

#include "space/table.h"

namespace flyball {

/// Its distinct configurations; without an axis that has one value.
nlohmann::ordered_json sheet_grid(const WorkloadTable& table);

}  // namespace flyball
