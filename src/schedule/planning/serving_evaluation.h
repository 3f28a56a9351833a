// Plans judged by executing them: concurrent problems over measured tables, with arrivals like
// clockwork, at random, and at rates that change.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "problem/paper.h"
#include "schedule/planning/arrival_plan.h"

namespace flyball {

struct ServingSweep {
  const WorkloadTable* train = nullptr;
  const WorkloadTable* infer = nullptr;
  std::vector<ProblemSpec> problems;  ///< empty: the paper's concurrent ones
  size_t every = 1;                   ///< 1: all of them; 10: every tenth
  bool only_paper_modes = true;
  double seconds = 120;                  ///< that each plan is executed for
  double jitter = 0;                     ///< relative standard deviation of minibatches
  double percentile = usual_percentile;  ///< that plans for random arrivals are made for
  Preference prefer{};                   ///< of the scheduler that executes them
  double switch_s = 2;                   ///< that a change of mode takes in dynamic traces
  size_t traces = 20;                    ///< dynamic ones, drawn; 0: none
  uint64_t seed = 1;
  size_t threads = 0;
  std::function<void(size_t done, size_t all)> progress{};
};

/// How plans of one kind fared when they were executed.
struct ServingRow {
  std::string arrivals;  ///< "constant", "poisson, clockwork plan", "poisson, plan for p99"
  size_t problems = 0, planned = 0;  ///< asked; with a plan that keeps all limits
  size_t solved =
      0;  ///< executed: late and refused are at most 1 − percentile/100 (none, constant)
  size_t with_training = 0;  ///< plans that train at all
  size_t trained = 0;        ///< of them: executed at least 0.99 of the plan's minibatches
  double mean_training_ratio = 0, least_training_ratio = 0;  ///< executed ÷ planned minibatches
  double mean_late_pct = 0, worst_late_pct = 0;
  double mean_median_ms = 0;    ///< median latencies of the plans, their mean …
  double latest_median_ms = 0;  ///< … and what it is where batches start at the latest safe time
  /// Training against the same plan with batches at the latest safe time.
  double mean_kept_ratio = 0, least_kept_ratio = 0;
  /// Plans in which to serve requests one by one costs less than 1 % of the training, and those of
  /// them with a median latency of at most 1.1 times a training minibatch and an answer.
  size_t singles = 0, soon = 0;
  size_t executions = 0;  ///< distinct ones: power budgets share them
};

/// A dynamic trace, executed by one who watches the rate and by one who knew it.
struct ServingTrace {
  ProblemSpec asked;
  std::vector<RateWindow> windows;
  double trained = 0, knowing = 0;  ///< minibatches per second: watching; told at each edge
  double plan = 0;                  ///< `flyball plan dynamic`, by its equations; NaN: none
  double late_pct = 0, knowing_late_pct = 0;
  size_t switches = 0, knowing_switches = 0;
};

struct ServingEvaluation {
  std::string train, infer;
  size_t modes = 0;
  double seconds = 0;
  std::vector<ServingRow> rows;
  std::vector<ServingTrace> traces;
  double requests = 0, own_s = 0;  ///< simulated in all, and the processor time they took
};

/// Errors: tables of different boards or without a mode in common.
Result<ServingEvaluation> evaluate_live(const ServingSweep& sweep);

Json to_json(const ServingEvaluation& evaluation);

}  // namespace flyball
