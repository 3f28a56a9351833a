// A measured table as if it were a board.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "profile/trials/profiler.h"
#include "space/table.h"

namespace flyball {

/// The stop reason of a trial that was read from a table.
inline constexpr const char* read_from_table = "read from the table";

/// Serves `workload` of a tidy table. Repeated rows of a configuration answer with their median.
/// The default is the highest value of each board axis (MAXN), at the batch size closest to 16.
std::unique_ptr<Profiler> make_table_profiler(const WorkloadTable& table);

}  // namespace flyball
