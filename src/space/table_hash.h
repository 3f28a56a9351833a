// Tables of equal content by one number, which stores keep in fingerprints.
#pragma once

#include <string>

#include "space/table.h"

namespace flyball {

/// Over what the axes and the power are, and all rows; neither device nor workload.
uint64_t content_hash(const WorkloadTable& table);
/// "table of lenet5 train on orin, 12 rows, content 00ab…": where its measurements come from.
std::string table_fingerprint(const WorkloadTable& table);

}  // namespace flyball
