// Between the store and measured tables.
#pragma once

#include <span>
#include <vector>

#include "space/table.h"
#include "store/run.h"

namespace flyball {

/// The rows of a table as measurements of the provenance that each has there. `fingerprint` says
/// where they come from: two files about one board are different conditions. `started_utc` is when
/// it was taken in.
std::vector<Measurement> measurements_of(const WorkloadTable& table, const std::string& fingerprint,
                                         const std::string& started_utc);

/// Measurements as tables, one for each device, workload, phase, set of axes and power total, in
/// the order in which they first occur. Failed trials are left out. A measurement without power
/// stands in the first table that fits otherwise.
std::vector<WorkloadTable> tables_of(std::span<const StoredMeasurement> measurements);

}  // namespace flyball
