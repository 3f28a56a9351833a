// Measured tables by file name, as the commands take them.
#pragma once

#include <string>
#include <vector>

#include "space/table.h"

namespace flyball::cli {

/// One workload of a file, without rows that were predicted; `workload` may be "" where the file
/// holds one only.
Result<WorkloadTable> read_workload(const std::string& path, const std::string& workload,
                                    const std::string& phase);
/// The same of "FILE.csv" or "FILE.csv:WORKLOAD", in this phase.
Result<WorkloadTable> read_role(const std::string& spec, Phase phase);
/// All workloads of these files, likewise.
Result<std::vector<WorkloadTable>> read_references(const std::vector<std::string>& paths);
/// Those that were named, and with `kept` those that the user keeps for this board
/// (store/references.h).
Result<std::vector<WorkloadTable>> gather_references(const std::vector<std::string>& paths,
                                                     const std::string& device, bool kept);
/// The table without predicted rows; an error when there are no others.
Result<WorkloadTable> measured_part(const WorkloadTable& table, const std::string& path);

}  // namespace flyball::cli
