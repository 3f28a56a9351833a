// Advice for one problem: a session over one or two roles on one board, drawn up as a Plan.
#pragma once

#include "answers/plan.h"
#include "tune/request.h"

namespace flyball {

/// Searches, keeps every trial in `store` (may be null) and draws up the plan. That nothing is
/// feasible is a plan without answer. Errors: requests that validate() refuses, failures of the
/// board, an interruption.
Result<Plan> make_plan(const SharedBoard& board, Store* store, const Request& request,
                       const SessionListener& listener = {});

/// Of a problem that validate() refused. That nothing can be feasible is an answer too: nothing
/// needs to be profiled to know it.
Status take_refusal(const Status& refused, SearchAnswer& answer);

/// Configurations whose power in the table was probably read too early, as all rows of that have
/// it: what was chosen of it does not decide which. None where it is no table.
std::vector<size_t> doubted_configs(const Profiler& profiler);
/// Of an answer over tables: notes that power of its rows was probably read too early
/// (predict/contradicted.h), with the optimum without such rows. Nothing where no limit or
/// objective is of power, or none is doubted.
void note_doubted_power(const SharedBoard& board, const SearchOutcome& outcome,
                        std::vector<std::string>& notes);
/// What an answer says before anything is measured: what was asked, and where.
void begin_answer(const SharedBoard& board, const Request& request, SearchAnswer& answer);
/// What a plan says once its searches of `problem` have ended: whose trials it rests on, remarks of
/// the session, and whose figures its costs are.
void complete_plan(const Session& session, const Problem& problem, SearchAnswer& answer);

}  // namespace flyball
