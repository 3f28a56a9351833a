// What a table's power is, in words.
#pragma once

#include <string>

#include "space/table.h"

namespace flyball {

/// "of the total 'module'", "of no named total".
inline std::string of_total(const WorkloadTable& table) {
  return table.power_total.empty() ? "of no named total"
                                   : "of the total '" + table.power_total + "'";
}

}  // namespace flyball
