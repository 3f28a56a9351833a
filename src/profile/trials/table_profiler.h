// A measured table as if it were a board.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "profile/trials/profiler.h"
#include "space/table.h"
#include "space/trial_facts.h"

namespace flyball {

/// Serves `workload` of a tidy table. Repeated rows of a configuration answer with their median.
/// The default is the highest value of each board axis (MAXN), or the row that comes nearest to it,
/// at the batch size closest to 16. `whole`: the table of which these rows were chosen; null: they
/// are all.
std::unique_ptr<Profiler> make_table_profiler(const WorkloadTable& table,
                                              std::shared_ptr<const WorkloadTable> whole = nullptr);

}  // namespace flyball
