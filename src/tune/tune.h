// The best configuration of one workload: a session over one role, and what it lets predict.
#pragma once

#include "answers/tune_result.h"
#include "tune/session.h"

namespace flyball {

/// Searches, measures, keeps every trial in `store` (may be null) and answers. A problem without
/// feasible answer is a result with `infeasible`; Errors are bad requests, failures, interruptions.
Result<TuneResult> tune(Profiler& profiler, Store* store, const TuneRequest& request,
                        const SessionListener& listener = {});

/// The raw and the robust optimum of a table under the request's objective and budgets.
Result<Oracle> find_oracle(const WorkloadTable& table, Profiler& profiler,
                           const TuneRequest& request);

}  // namespace flyball
