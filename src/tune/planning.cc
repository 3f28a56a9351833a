#include "tune/planning.h"

#include <utility>

#include "base/clock.h"
#include "base/json.h"

namespace flyball {

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
  const std::vector<std::string>& costs = answer.request.cost_notes;
  answer.notes.insert(answer.notes.end(), costs.begin(), costs.end());
}

Result<Plan> make_plan(const SharedBoard& board, Store* store, const Request& request,
                       const SessionListener& listener) {
  FLYBALL_ASSIGN(const Asked asked, make_problem(request, board));
  Plan plan;
  begin_answer(board, request, plan);
  if (const Status sound = validate(*asked.problem); !sound.ok()) {
    FLYBALL_CHECK(take_refusal(sound, plan));
    plan.problem = asked.problem;
    return plan;
  }
  const auto work = [&](Session& session) -> Result<Json> {
    FLYBALL_ASSIGN(SearchOutcome outcome, session.search(asked.problem));
    SearchAnswer found;
    begin_answer(board, request, found);
    found.notes = board.gap_notes();
    outcome.add_to(found);
    complete_plan(session, *asked.problem, found);
    plan = draw_plan(*outcome.strategy, std::move(found));
    return to_json(plan);
  };
  FLYBALL_CHECK(
      answer_request(request, board, store, listener, {asked.problem}, Json::object(), work));
  return plan;
}

}  // namespace flyball
