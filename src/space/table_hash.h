// Tables of equal content by one number, which stores keep in fingerprints.
#pragma once

#include "space/table.h"

namespace flyball {

/// Over what the axes and the power are, and all rows; neither device nor workload.
uint64_t content_hash(const WorkloadTable& table);

}  // namespace flyball
