// The answer to `plan … --arrivals`: a plan as every other, whose choice was judged by running what
// `serve` executes.
#pragma once

#include "answers/plan.h"
#include "schedule/planning/arrival_plan.h"
#include "schedule/planning/preference_front.h"
#include "tune/shared_board.h"

namespace flyball {

/// A choice as it was simulated, and what its equations say.
struct JudgedChoice {
  SimulatedChoice run;
  Option option;             ///< its value as simulated; its power is ServingProblem::power_w()
  double planned_per_s = 0;  ///< training minibatches, by the equations
};

struct ArrivalAnswer : SearchAnswer {
  std::shared_ptr<const Problem> problem;
  std::vector<ArrivalSpec> arrivals;  ///< of each service
  double percentile = usual_percentile;
  QueueRules queue{};
  std::optional<JudgedChoice> simulated;  ///< the answer
  std::optional<JudgedChoice> clockwork;  ///< of the plan without arrivals, under these ones
  /// What serving sooner costs in training, for that choice; empty without a training.
  std::vector<PreferencePoint> front;
  size_t simulations = 0;  ///< choices that were simulated
};

/// What is known of every configuration, and how arrivals are to be answered.
struct ArrivalQuestion {
  const SharedBoard& board;
  const Request& request;  ///< its rates are those of the arrivals
  std::vector<ArrivalSpec> arrivals;
  double percentile = usual_percentile;
  QueueRules queue{};  ///< as `serve` would have them
  /// As ArrivalPlanOptions has it; empty: nobody looks.
  std::function<void(size_t done, size_t of, const char* what)> progress{};
};

/// That no choice keeps the limits is an answer, too. Errors: requests that validate() refuses; a
/// role that is measured live; an interruption.
Result<ArrivalAnswer> plan_arrivals(const ArrivalQuestion& question);

/// Would there be a plan, too, if so much were kept of each latency budget? Errors: likewise.
Result<bool> plans_with_margin(const ArrivalQuestion& question, const ClientMargin& margin);

/// As text for people; why there is no answer is left to the caller. `verbose`: every remark.
std::string format_plan(const ArrivalAnswer& answer, bool verbose = false);
/// The keys of docs/json.md.
Json to_json(const ArrivalAnswer& answer);

}  // namespace flyball
