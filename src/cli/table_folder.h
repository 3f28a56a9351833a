// All tables of a folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "space/table.h"

namespace flyball::cli {

/// The workloads in the folder's files *.csv (of this phase, where one is given), by file name:
/// measured and accepted rows. A file that is no table is left out, with a note on stderr. Errors:
/// no folder, none of this phase.
Result<std::vector<WorkloadTable>> read_table_folder(const std::string& folder,
                                                     std::optional<Phase> phase, Accepted accepted);

}  // namespace flyball::cli
