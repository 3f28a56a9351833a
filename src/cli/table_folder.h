// All tables of a folder.
#pragma once

#include <string>
#include <vector>

#include "space/table.h"

namespace flyball::cli {

/// The workloads of this phase in the folder's files *.csv, by file name: measured and accepted
/// rows. Errors: no folder, files that cannot be read, none of this phase.
Result<std::vector<WorkloadTable>> read_table_folder(const std::string& folder, Phase phase,
                                                     Accepted accepted);

}  // namespace flyball::cli
