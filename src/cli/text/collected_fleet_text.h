// A collected fleet as people and spreadsheets read it.
#pragma once

#include <string>

#include "fleet/collected_fleet.h"

namespace flyball::cli {

std::string collected_fleet_text(const CollectedFleet& fleet);

/// boards.csv, best.csv, spread.csv and software.csv into a folder, which is made.
Status write_fleet_tables(const CollectedFleet& fleet, const std::string& folder);

}  // namespace flyball::cli
