#include "tune/dynamic_planning.h"

#include <nlohmann/json.hpp>
#include <set>

#include "base/json.h"

namespace flyball {
namespace {

/// What the searches of all rates have profiled.
struct RateProfiles {
  Problem problem;  ///< of the last rate
  Readings readings;
  size_t count = 0;
  std::vector<std::string> notes;
};

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
  for (double rate : rates_of(windows)) {
    all.problem = problem_at(rate, request, board);
    FLYBALL_ASSIGN(const SearchOutcome outcome,
                   session.search(std::make_shared<const Problem>(all.problem)));
    const Ledger& ledger = outcome.strategy->ledger();
    all.count += ledger.profiles();
    all.readings = ledger.readings();  // of the rates before, too
    all.notes.insert(all.notes.end(), outcome.strategy->notes().begin(),
                     outcome.strategy->notes().end());
  }
  for (std::string& note : session.notes()) all.notes.push_back(std::move(note));
  return all;
}

Result<DynamicAnswer> answer(Session& session, const SharedBoard& board, const PlanRequest& request,
                             std::span<const RateWindow> windows) {
  FLYBALL_ASSIGN(RateProfiles all, profile_rates(session, board, request, windows));
  FLYBALL_ASSIGN(DynamicPlan plan, plan_dynamic(all.problem, all.readings, windows));
  return DynamicAnswer{std::move(all.problem), std::move(plan), all.count, std::move(all.notes)};
}

}  // namespace

Result<DynamicAnswer> plan_windows(const SharedBoard& board, Store* store,
                                   const PlanRequest& request, std::span<const RateWindow> windows,
                                   const SessionListener& listener) {
  for (double rate : rates_of(windows)) FLYBALL_CHECK(validate(problem_at(rate, request, board)));
  FLYBALL_ASSIGN(const auto session, Session::open(board.roles(), request, store, listener));
  for (double rate : rates_of(windows))
    FLYBALL_CHECK(
        session->check(std::make_shared<const Problem>(problem_at(rate, request, board))));
  auto asked = plan_request_json(request, board);
  for (const RateWindow& window : windows)
    asked["windows"].push_back({{"rate_hz", window.rate_hz}, {"seconds", window.seconds}});
  FLYBALL_CHECK(session->begin(request.command, asked));
  auto result = answer(*session, board, request, windows);
  const bool answered = result.ok() || result.error().code == Code::infeasible;
  FLYBALL_CHECK(session->finish(answered ? Status() : result.error(),
                                result ? to_json(board, *result).dump() : ""));
  return result;
}

nlohmann::ordered_json to_json(const SharedBoard& board, const DynamicAnswer& answer) {
  const Problem& problem = answer.problem;
  nlohmann::ordered_json windows = nlohmann::ordered_json::array();
  for (const WindowPlan& window : answer.plan.windows) {
    nlohmann::ordered_json choice = nlohmann::ordered_json::array();
    for (size_t role = 0; role < problem.roles.size(); ++role)
      choice.push_back(
          {{"workload", problem.roles[role].workload},
           {"config", board.candidates->space(role).settings(window.choice.candidates[role])}});
    windows.push_back({{"rate_hz", window.window.rate_hz},
                       {"seconds", window.window.seconds},
                       {"choice", choice},
                       {"value", objective_value(problem, window.choice.outcome)},
                       {"switches", window.switches}});
  }
  return {{"problem", "dynamic"},        {"objective", objective_name(problem.objective)},
          {"windows", windows},          {"switches", answer.plan.switches},
          {"value", answer.plan.value},  {"static_value", or_null(answer.plan.static_value)},
          {"profiles", answer.profiles}, {"notes", answer.notes}};
}

}  // namespace flyball
