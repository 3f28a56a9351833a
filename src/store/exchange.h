// Between the store and measured tables.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "space/table.h"
#include "store/store.h"

namespace flyball {

/// The rows of a table as measurements of the provenance that each has there. `fingerprint` says
/// where they come from: two files about one board are different conditions. `started_utc` is when
/// it was taken in.
std::vector<Measurement> measurements_of(const WorkloadTable& table, const std::string& fingerprint,
                                         const std::string& started_utc);

/// What the run of an import keeps as its request.
nlohmann::ordered_json import_request(const WorkloadTable& table);
/// The run that has imported a table with this content before (its fingerprint says so).
Result<std::optional<StoredRun>> earlier_import(Store& store, const WorkloadTable& table,
                                                const std::string& fingerprint);

/// Measurements as tables, one for each device, workload, phase, set of axes and power total, in
/// the order in which they first occur. Failed trials are left out. A measurement without power
/// stands in the first table that fits otherwise.
std::vector<WorkloadTable> tables_of(std::span<const StoredMeasurement> measurements);

}  // namespace flyball
