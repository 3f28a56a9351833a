// From what a person asks to problems as equations, and from there to one answer.
#pragma once

#include <functional>
#include <memory>

#include "answers/tune_result.h"
#include "base/json_fwd.h"
#include "tune/shared_board.h"

namespace flyball {

/// The request as a Problem over a board's roles, with what its budgets cover.
struct Asked {
  std::shared_ptr<const Problem> problem;
  double samples = 0;       ///< of an epoch of a tune; 0 when unknown
  std::string budget_span;  ///< "epoch", "minibatch" or "run"
  Per per = Per::minibatch;
  double share = 1;  ///< of a time or energy budget: what is left for what the problem counts

  /// How the request has a limit of this problem.
  LimitFlag flag(Constraint constraint, Caller caller) const {
    return limit_flag(constraint, caller, samples > 0 ? share : 0);
  }
};

/// The one builder of problems from requests; they may still be refused by validate().
/// `whole_runs`: the trials are whole runs of a program, not minibatches. Errors, of a tune alone:
/// a budget per epoch without a known batch size, or without samples where the batch size is open.
Result<Asked> make_problem(const Request& request, const SharedBoard& board,
                           bool whole_runs = false);

/// One answer from its beginning to its end: opens a session, refuses what it would refuse of
/// `problems`, and lets `work` search and say its answer as JSON (Session::answer()). `details`:
/// what the request's JSON has beside request_json().
Status answer_request(const Request& request, const SharedBoard& board, Store* store,
                      const SessionListener& listener,
                      const std::vector<std::shared_ptr<const Problem>>& problems, Json details,
                      const std::function<Result<Json>(Session&)>& work);

}  // namespace flyball
