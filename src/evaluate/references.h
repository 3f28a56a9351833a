// References that may teach about a table.
#pragma once

#include <vector>

#include "space/table.h"

namespace flyball {

/// Those that may teach about a target: a table is no reference for itself.
std::vector<WorkloadTable> references_for(const WorkloadTable& target,
                                          const std::vector<WorkloadTable>& references);

/// Would it tell beforehand what a search of that table is to find out: is it the same table, or
/// has it all of its rows under the same title?
bool gives_away(const WorkloadTable& reference, const WorkloadTable& searched);

}  // namespace flyball
