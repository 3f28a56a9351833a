// From what a person asks to the problem as equations.
#pragma once

#include <memory>

#include "profile/trials/profiler.h"
#include "tune/tune.h"

namespace flyball {

/// The request as a Problem over the profiler's space, with what its budgets cover.
struct Asked {
  std::shared_ptr<const Problem> problem;
  double samples = 0;
  std::string budget_span;  ///< "epoch", "minibatch" or "run"
  Per per = Per::minibatch;
  double share = 1;  ///< of a time or energy budget: what is left for what the problem counts
  std::vector<size_t> config;  ///< candidate → row of the profiler's space
};

/// `whole_runs`: its trials are whole runs of a program, not minibatches. Errors: budgets that are
/// not above zero; a budget per epoch without a known batch size; a power or energy budget where
/// there is no power.
Result<Asked> make_problem(const Profiler& profiler, const TuneRequest& request,
                           bool whole_runs = false);

/// How `flyball tune`, or a study, takes a limit of this problem.
LimitFlag tune_flag(const Asked& asked, Constraint constraint,
                    Caller caller = Caller::command_line);

/// What a profiler says of its workload; it neither serves nor has limits yet.
Role role_of(const ProfilerInfo& info);

/// Batch size of a configuration: its axis, else the job's; 0 when unknown.
double batch_size_of(const Profiler& profiler, size_t config);

}  // namespace flyball
