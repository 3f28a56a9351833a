#include "tune/planning.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "base/clock.h"
#include "base/json.h"
#include "predict/contradicted.h"
#include "problem/exact.h"
#include "search/registry.h"

namespace flyball {
namespace {

std::set<size_t> doubted_candidates(const MeasuredRole& role) {
  std::set<size_t> doubted;
  for (const size_t config : doubted_configs(*role.profiler))
    if (const auto candidate = role.candidate(config)) doubted.insert(*candidate);
  return doubted;
}

}  // namespace

std::vector<size_t> doubted_configs(const Profiler& profiler) {
  const WorkloadTable* const table = profiler.table();
  if (!table) return {};
  const Space& chosen = profiler.space();
  std::set<size_t> configs;
  for (const size_t row : suspicious_power(*table))
    if (const auto values = chosen.to_row(table->space.settings(row)); values.ok())
      if (const auto config = chosen.find(*values)) configs.insert(*config);
  return {configs.begin(), configs.end()};
}

void note_doubted_power(const SharedBoard& board, const SearchOutcome& outcome,
                        std::vector<std::string>& notes) {
  const Problem& problem = outcome.strategy->problem();
  if (!outcome.answer || !problem.needs_power()) return;
  Readings readings = outcome.strategy->history().readings();
  bool doubted = false;
  for (size_t role = 0; role < board.roles.size(); ++role) {
    const std::set<size_t> candidates = doubted_candidates(board.roles[role]);
    doubted |= candidates.contains(outcome.answer->choice[role]);
    for (const size_t candidate : candidates) readings[role][candidate] = {};
  }
  if (!doubted) return;
  const Choice robust = solve(problem, readings);
  const std::string watts = problem.objective == Objective::power
                                ? ""
                                : fmt::format(", at {:.4g} W", robust.outcome.power_w);
  notes.push_back(
      "the power of this choice lies more than 6 % below what its neighbours in the table let "
      "expect, and was probably read too early; " +
      (robust.outcome.feasible
           ? fmt::format("the optimum without such rows is {}{}: {}",
                         objective_text(problem, robust.outcome), watts,
                         choice_text(problem, robust.candidates, robust.outcome))
           : "nothing meets the limits without such rows"));
}

Status take_refusal(const Status& refused, SearchAnswer& answer) {
  if (refused.error().code != Code::infeasible) return refused;
  answer.started_utc = wall_clock_utc();
  answer.infeasible = refused.error();
  return {};
}

void begin_answer(const SharedBoard& board, const Request& request, SearchAnswer& answer) {
  answer.request = request;
  for (const ProfilerInfo* workload : board.workloads()) answer.workloads.push_back(*workload);
}

void complete_plan(const Session& session, const Problem& problem, SearchAnswer& answer) {
  const auto own = static_cast<std::ptrdiff_t>(answer.notes.size());
  session.complete(answer);
  std::string known = known_text(answer.configurations_profiled(), configurations_of(problem),
                                 answer.profiled.size(), answer.reused());
  if (!known.empty()) answer.notes.insert(answer.notes.begin() + own, std::move(known));
  for (const auto& prior : answer.request.priors)
    if (prior)
      answer.notes.push_back(fmt::format("what the twin of {} says of {} is known beforehand",
                                         prior->device, prior->title()));
  const std::vector<std::string>& costs = answer.request.cost_notes;
  answer.notes.insert(answer.notes.end(), costs.begin(), costs.end());
}

Result<Plan> make_plan(const SharedBoard& board, Store* store, const Request& request,
                       const SessionListener& listener) {
  FLYBALL_ASSIGN(const Asked asked, make_problem(request, board));
  Plan plan;
  begin_answer(board, request, plan);
  if (const Status sound = validate(*asked.problem, !knows_all(request.strategy)); !sound.ok()) {
    FLYBALL_CHECK(take_refusal(sound, plan));
    plan.problem = asked.problem;
    return plan;
  }
  const auto work = [&](Session& session) -> Result<Json> {
    FLYBALL_ASSIGN(SearchOutcome outcome, session.search(asked.problem));
    SearchAnswer found;
    begin_answer(board, request, found);
    found.notes = board.gap_notes(*asked.problem);
    outcome.add_to(found);
    complete_plan(session, *asked.problem, found);
    if (knows_all(request.strategy)) note_doubted_power(board, outcome, found.notes);
    plan = draw_plan(*outcome.strategy, std::move(found));
    return to_json(plan);
  };
  FLYBALL_CHECK(
      answer_request(request, board, store, listener, {asked.problem}, Json::object(), work));
  return plan;
}

}  // namespace flyball
