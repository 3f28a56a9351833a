#include "tune/dynamic_planning.h"

#include <fmt/format.h>

#include <map>

#include "base/json.h"
#include "search/registry.h"

namespace flyball {
namespace {

using ProblemPointer = std::shared_ptr<const Problem>;

/// The problem of each distinct rate.
using RateProblems = std::map<double, ProblemPointer>;

/// What the searches of all rates have profiled.
struct RateProfiles {
  DynamicAnswer answer;
  Readings readings;
  std::map<double, Refusal> refused;  ///< by rate
};

/// A window's rate stands in --windows.
LimitFlag window_flag(Constraint constraint, size_t) {
  if (constraint == Constraint::arrival_rate) return {"--windows", "requests/s"};
  return limit_flag(constraint);
}

Result<RateProblems> problems_of(const SharedBoard& board, Request request,
                                 std::span<const RateWindow> windows) {
  RateProblems problems;
  for (const RateWindow& window : windows) {
    request.rates_hz = {window.rate_hz};
    FLYBALL_ASSIGN(const Asked asked, make_problem(request, board));
    problems[window.rate_hz] = asked.problem;
  }
  return problems;
}

Result<RateProfiles> profile_rates(Session& session, const SharedBoard& board,
                                   const Request& request, const RateProblems& problems) {
  RateProfiles all;
  DynamicAnswer& found = all.answer;
  begin_answer(board, request, found);
  found.notes = board.gap_notes(*problems.begin()->second);
  for (const auto& [rate, problem] : problems) {
    found.problem = *problem;
    FLYBALL_ASSIGN(SearchOutcome outcome, session.search(problem));
    all.readings = outcome.strategy->history().readings();  // of the rates before, too
    outcome.add_to(found);
    found.provenance = found.known();
    if (!outcome.answer)
      all.refused[rate] =
          refusal_of(*outcome.strategy, outcome.why_not, window_flag, found.provenance);
  }
  complete_plan(session, found.problem, found);
  return all;
}

/// The window that nothing profiled serves, in the words of its own search; of several the one
/// with the highest rate, as limits hold for all of them, and what does for it does for slower
/// ones.
std::optional<Refusal> unserved(const RateProblems& problems, const RateProfiles& all,
                                std::span<const RateWindow> windows) {
  std::optional<size_t> fastest;
  for (size_t w = 0; w < windows.size(); ++w) {
    const double rate_hz = windows[w].rate_hz;
    if (!all.refused.contains(rate_hz) || (fastest && rate_hz <= windows[*fastest].rate_hz) ||
        solve(*problems.at(rate_hz), all.readings).outcome.feasible)
      continue;
    fastest = w;
  }
  if (!fastest) return {};
  const double rate_hz = windows[*fastest].rate_hz;
  Refusal refusal = all.refused.at(rate_hz);
  refusal.why_not =
      refusal.why_not.within(fmt::format("window {} ({:g} requests/s)", *fastest + 1, rate_hz));
  return refusal;
}

Result<DynamicAnswer> answer(Session& session, const SharedBoard& board, const Request& request,
                             const RateProblems& problems, std::span<const RateWindow> windows) {
  session.without_presets();
  FLYBALL_ASSIGN(RateProfiles all, profile_rates(session, board, request, problems));
  DynamicAnswer& answer = all.answer;
  auto plan = plan_dynamic(answer.problem, all.readings, windows);
  if (plan) {
    answer.plan = *std::move(plan);
    return std::move(answer);
  }
  if (plan.error().code != Code::infeasible) return plan.error();
  answer.refuse(unserved(problems, all, windows).value_or(Refusal{plan.error()}));
  return std::move(answer);
}

}  // namespace

Result<DynamicAnswer> plan_windows(const SharedBoard& board, Store* store, const Request& request,
                                   std::span<const RateWindow> windows,
                                   const SessionListener& listener) {
  FLYBALL_ASSIGN(const RateProblems problems, problems_of(board, request, windows));
  DynamicAnswer result;
  begin_answer(board, request, result);
  std::vector<ProblemPointer> searched;
  for (const auto& [rate, problem] : problems) {
    if (const Status sound = validate(*problem, !knows_all(request.strategy)); !sound.ok()) {
      FLYBALL_CHECK(take_refusal(sound, result));
      result.problem = *problem;
      return result;
    }
    searched.push_back(problem);
  }
  Json details;
  for (const RateWindow& window : windows)
    details["windows"].push_back({{"rate_hz", window.rate_hz}, {"seconds", window.seconds}});
  const auto work = [&](Session& session) -> Result<Json> {
    FLYBALL_ASSIGN(result, answer(session, board, request, problems, windows));
    return to_json(result);
  };
  FLYBALL_CHECK(
      answer_request(request, board, store, listener, searched, std::move(details), work));
  return result;
}

}  // namespace flyball
