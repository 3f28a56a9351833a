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
/// `truth`: the table whose optimum the answer is compared with; null: none.
Result<TuneResult> tune(Profiler& profiler, Store* store, const Request& request,
                        const SessionListener& listener = {}, const WorkloadTable* truth = nullptr);

}  // namespace flyball
