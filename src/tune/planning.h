// Advice for one problem: a session over one or two roles on one board, drawn up as a Plan.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "answers/plan.h"
#include "tune/session.h"

namespace flyball {

/// Workloads that share a board, tied by power mode: training roles first, then serving ones.
struct SharedBoard {
  std::vector<std::unique_ptr<Profiler>> profilers;
  std::shared_ptr<const Candidates> candidates;
  std::vector<std::vector<size_t>> config;  ///< by role: candidate → row of its profiler's space

  std::vector<SessionRole> roles() const;
  const ProfilerInfo& info(size_t role) const { return profilers[role]->info(); }
  bool simulated() const;  ///< is it a simulated board, on which all roles are tried?
};
/// Errors: roles that were measured on different boards, or whose powers are of different totals;
/// no mode that all of them have.
Result<SharedBoard> share_board(std::vector<std::unique_ptr<Profiler>> profilers);

/// What is asked. Of rates and latencies there is one for each service, or one for all of them.
struct PlanRequest : SessionOptions {
  std::string kind;  ///< "training", "concurrent", …, as `flyball plan` names it
  std::vector<double> rates_hz;
  std::vector<double> latencies_ms;
  Budgets budgets;                     ///< time and energy: of a minibatch (problem.h)
  std::optional<Objective> objective;  ///< nothing: the usual one of the kind
  bool separate_modes = false;
  double switch_ms = 0;
  double switch_j = 0;         ///< energy of a switch beside the power of its time; dynamic plans
  std::vector<double> idle_w;  ///< by mode, as Problem has it; empty: not counted
  std::vector<std::string> cost_notes;  ///< whose figures idle power and switches are
};

/// The rate or latency of the which-th service; `otherwise` where there are none.
double of_service(const std::vector<double>& figures, size_t which, double otherwise);

/// The request as a Problem. It may still be refused by validate().
Problem plan_problem(const PlanRequest& request, const SharedBoard& board);

/// What the store keeps of the request, and what makes two requests the same.
nlohmann::ordered_json plan_request_json(const PlanRequest& request, const SharedBoard& board);

/// Searches, keeps every trial in `store` (may be null) and draws up the plan. That nothing is
/// feasible is a plan without answer. Errors: requests that validate() refuses, failures of the
/// board, an interruption.
Result<Plan> make_plan(const SharedBoard& board, Store* store, const PlanRequest& request,
                       const SessionListener& listener = {});

/// What profilers of the roles lack, and what they left out, each once.
std::vector<std::string> gap_notes(const SharedBoard& board);

/// What a plan says once its searches of `problem` have ended: whose trials it rests on, remarks of
/// the session, and whose figures its costs are.
void complete_plan(const Session& session, const PlanRequest& request, const Problem& problem,
                   SearchAnswer& answer);

}  // namespace flyball
