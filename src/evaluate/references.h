// References of an evaluation.
#pragma once

#include <vector>

#include "space/table.h"

namespace flyball {

/// Those that may teach about a target: a table is no reference for itself.
std::vector<WorkloadTable> references_for(const WorkloadTable& target,
                                          const std::vector<WorkloadTable>& references);

}  // namespace flyball
