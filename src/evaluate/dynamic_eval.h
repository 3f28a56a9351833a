// Rates that change: each strategy searches one rate after the other, and the windows are planned
// over all that it profiled, beside the plan over the whole tables.
#pragma once

#include <vector>

#include "evaluate/search_sweep.h"
#include "problem/dynamic.h"

namespace flyball {

/// A training beside a service whose rate changes; `asked.rate_hz` is the highest it may come to.
struct DynamicProblem {
  ProblemSpec asked;
  std::vector<RateWindow> windows;
};

/// The sweep's strategies on these problems in place of its own, each once. A change of mode takes
/// 2 s. `excess_pct` is the training lost over all windows; a case is solved where some profiled
/// choice keeps all limits in every window. Cases whose windows no mode of the tables serves are
/// left out. Errors: those of evaluate_search().
Result<std::vector<SearchCase>> evaluate_dynamic(const SearchSweep& sweep,
                                                 const std::vector<DynamicProblem>& problems);

}  // namespace flyball
