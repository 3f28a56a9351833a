// The best configuration of one workload: a session over one role, and what it lets predict.
#pragma once

#include "answers/tune_result.h"
#include "tune/request.h"

namespace flyball {

/// The request as a tune of the board's one workload. Errors: those of make_problem(); budgets that
/// are not above zero; a power or energy budget where there is no power.
Result<Asked> tune_problem(const Request& request, const SharedBoard& board,
                           bool whole_runs = false);

/// Searches, measures, keeps every trial in `store` (may be null) and answers. A problem without
/// feasible answer is a result with `infeasible`; Errors are bad requests, failures, interruptions.
Result<TuneResult> tune(Profiler& profiler, Store* store, const Request& request,
                        const SessionListener& listener = {});

/// The raw and the robust optimum of a table under the request's objective and budgets.
Result<Oracle> find_oracle(const WorkloadTable& table, Profiler& profiler, const Request& request);

}  // namespace flyball
