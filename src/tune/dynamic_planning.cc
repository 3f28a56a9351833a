#include "tune/dynamic_planning.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/clock.h"

namespace flyball {
namespace {

/// What the searches of all rates have profiled.
struct RateProfiles {
  DynamicAnswer answer;
  Readings readings;
  std::map<double, Refusal> refused;  ///< by rate
};

/// A window's rate stands in --windows.
LimitFlag window_flag(Constraint constraint, size_t role) {
  if (constraint == Constraint::arrival_rate) return {"--windows", "requests/s"};
  return plan_flag(constraint, role);
}

Problem problem_at(double rate_hz, PlanRequest request, const SharedBoard& board) {
  request.rates_hz = {rate_hz};
  return plan_problem(request, board);
}

std::set<double> rates_of(std::span<const RateWindow> windows) {
  std::set<double> rates;
  for (const RateWindow& window : windows) rates.insert(window.rate_hz);
  return rates;
}

Result<RateProfiles> profile_rates(Session& session, const SharedBoard& board,
                                   const PlanRequest& request,
                                   std::span<const RateWindow> windows) {
  RateProfiles all;
  DynamicAnswer& found = all.answer;
  found.notes = gap_notes(board);
  for (double rate : rates_of(windows)) {
    found.problem = problem_at(rate, request, board);
    FLYBALL_ASSIGN(SearchOutcome outcome,
                   session.search(std::make_shared<const Problem>(found.problem)));
    all.readings = outcome.strategy->ledger().readings();  // of the rates before, too
    outcome.add_to(found);
    found.provenance = provenance_of(found.profiled);
    if (!outcome.answer)
      all.refused[rate] =
          refusal_of(*outcome.strategy, outcome.why_not, window_flag, found.provenance);
  }
  complete_plan(session, request, found.problem, found);
  return all;
}

/// The first window that nothing profiled serves, in the words of its own search.
std::optional<Refusal> unserved(const SharedBoard& board, const PlanRequest& request,
                                const RateProfiles& all, std::span<const RateWindow> windows) {
  for (size_t w = 0; w < windows.size(); ++w) {
    const auto refused = all.refused.find(windows[w].rate_hz);
    if (refused == all.refused.end()) continue;
    const Problem problem = problem_at(windows[w].rate_hz, request, board);
    if (solve(problem, all.readings).outcome.feasible) continue;
    Refusal refusal = refused->second;
    refusal.why_not = refusal.why_not.within(
        fmt::format("window {} ({:g} requests/s)", w + 1, windows[w].rate_hz));
    return refusal;
  }
  return {};
}

Result<DynamicAnswer> answer(Session& session, const SharedBoard& board, const PlanRequest& request,
                             std::span<const RateWindow> windows) {
  FLYBALL_ASSIGN(RateProfiles all, profile_rates(session, board, request, windows));
  DynamicAnswer& answer = all.answer;
  auto plan = plan_dynamic(answer.problem, all.readings, windows);
  if (plan) {
    answer.plan = *std::move(plan);
    return std::move(answer);
  }
  if (plan.error().code != Code::infeasible) return plan.error();
  answer.refuse(unserved(board, request, all, windows).value_or(Refusal{plan.error(), {}}));
  return std::move(answer);
}

}  // namespace

Result<DynamicAnswer> plan_windows(const SharedBoard& board, Store* store,
                                   const PlanRequest& request, std::span<const RateWindow> windows,
                                   const SessionListener& listener) {
  for (double rate : rates_of(windows)) {
    const Problem problem = problem_at(rate, request, board);
    const Status sound = validate(problem);
    if (sound.ok()) continue;
    if (sound.error().code != Code::infeasible) return sound.error();
    DynamicAnswer refused;
    refused.problem = problem;
    refused.started_utc = wall_clock_utc();
    refused.infeasible = sound.error();
    return refused;
  }
  FLYBALL_ASSIGN(const auto session, Session::open(board.roles(), request, store, listener));
  for (double rate : rates_of(windows))
    FLYBALL_CHECK(
        session->check(std::make_shared<const Problem>(problem_at(rate, request, board))));
  auto asked = plan_request_json(request, board);
  for (const RateWindow& window : windows)
    asked["windows"].push_back({{"rate_hz", window.rate_hz}, {"seconds", window.seconds}});
  DynamicAnswer result;
  FLYBALL_CHECK(session->answer(request.command, asked, [&]() -> Result<nlohmann::ordered_json> {
    FLYBALL_ASSIGN(result, answer(*session, board, request, windows));
    return to_json(result);
  }));
  return result;
}

}  // namespace flyball
