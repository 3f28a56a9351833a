// The work of the networks that papers and tables name, by Pagoda's rules from their graphs
// (cost/networks.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "predict/roofline/counting.h"

namespace flyball {

/// Work of a workload by name; case and punctuation do not matter. Nothing when it is not known.
std::optional<Cost> known_cost(const std::string& workload);
/// The names known_cost() knows.
std::vector<std::string> costed_workloads();

}  // namespace flyball
