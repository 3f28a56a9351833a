// What `flyball collect` and `campaign collect` print.
#pragma once

#include <string>
#include <vector>

#include "collect/collect_stores.h"

namespace flyball::cli {

/// A row for each store that was taken; "" where none was.
std::string collect_text(const std::vector<CollectOutcome>& outcomes);

}  // namespace flyball::cli
