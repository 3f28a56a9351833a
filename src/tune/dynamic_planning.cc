#include "tune/dynamic_planning.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json.h"

namespace flyball {
namespace {

/// Why a rate's search found nothing, and what would do.
struct Refusal {
  Error why_not;
  std::vector<Advice> easing;
};

/// What the searches of all rates have profiled.
struct RateProfiles {
  Problem problem;  ///< of the last rate
  Readings readings;
  size_t count = 0;
  Provenance known = Provenance::measured;
  std::map<double, Refusal> refused;  ///< by rate
  std::vector<Profiled> trials;
  std::vector<std::string> notes;
};

/// A window's rate stands in --windows.
LimitFlag window_flag(Constraint constraint, size_t role) {
  if (constraint == Constraint::arrival_rate) return {"--windows", "requests/s"};
  return plan_flag(constraint, role);
}

Refusal refusal_of(const Strategy& strategy, Error why_not, Provenance known) {
  if (why_not.code != Code::infeasible || !strategy.ledger().best())
    return {std::move(why_not), {}};
  const Infeasibility why = explain_infeasible(strategy);
  std::vector<Advice> easing = advice_of(strategy, why, window_flag, known);
  return {infeasible_error(strategy.problem(), why, easing, window_flag), std::move(easing)};
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
  for (double rate : rates_of(windows)) {
    all.problem = problem_at(rate, request, board);
    FLYBALL_ASSIGN(const SearchOutcome outcome,
                   session.search(std::make_shared<const Problem>(all.problem)));
    const Ledger& ledger = outcome.strategy->ledger();
    all.count += ledger.profiles();
    all.readings = ledger.readings();  // of the rates before, too
    for (const Profiled& trial : outcome.trials)
      if (!trial.measurement.failed())
        all.known = std::max(all.known, trial.measurement.provenance);
    all.trials.insert(all.trials.end(), outcome.trials.begin(), outcome.trials.end());
    if (!outcome.answer)
      all.refused[rate] = refusal_of(*outcome.strategy, outcome.why_not, all.known);
    all.notes.insert(all.notes.end(), outcome.strategy->notes().begin(),
                     outcome.strategy->notes().end());
  }
  if (std::string known = known_note(session, all.problem, all.trials); !known.empty())
    all.notes.push_back(std::move(known));
  for (std::string& note : session.notes()) all.notes.push_back(std::move(note));
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
  DynamicAnswer answer{std::move(all.problem), {}, {}, {}, all.count, all.known, {}};
  answer.notes = gap_notes(board);
  answer.notes.insert(answer.notes.end(), all.notes.begin(), all.notes.end());
  answer.notes.insert(answer.notes.end(), request.cost_notes.begin(), request.cost_notes.end());
  auto plan = plan_dynamic(answer.problem, all.readings, windows);
  if (plan) {
    answer.plan = *std::move(plan);
    return answer;
  }
  if (plan.error().code != Code::infeasible) return plan.error();
  answer.why_not = plan.error();
  if (auto refusal = unserved(board, request, all, windows)) {
    answer.why_not = std::move(refusal->why_not);
    answer.easing = std::move(refusal->easing);
  }
  return answer;
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
    return DynamicAnswer{problem, {}, sound.error(), {}, 0, Provenance::measured, {}};
  }
  FLYBALL_ASSIGN(const auto session, Session::open(board.roles(), request, store, listener));
  for (double rate : rates_of(windows))
    FLYBALL_CHECK(
        session->check(std::make_shared<const Problem>(problem_at(rate, request, board))));
  auto asked = plan_request_json(request, board);
  for (const RateWindow& window : windows)
    asked["windows"].push_back({{"rate_hz", window.rate_hz}, {"seconds", window.seconds}});
  FLYBALL_CHECK(session->begin(request.command, asked));
  auto result = answer(*session, board, request, windows);
  if (result) result->run = session->run();
  const bool answered = result.ok() || result.error().code == Code::infeasible;
  FLYBALL_CHECK(session->finish(answered ? Status() : result.error(),
                                result ? to_json(board, *result).dump() : ""));
  return result;
}

nlohmann::ordered_json to_json(const SharedBoard& board, const DynamicAnswer& answer) {
  const Problem& problem = answer.problem;
  if (answer.why_not)
    return {{"problem", "dynamic"},
            {"windows", nlohmann::ordered_json::array()},
            {"run", or_null(answer.run)},
            {"error", to_json(*answer.why_not)},
            {"infeasible", infeasible_json(*answer.why_not, answer.easing)}};
  double switch_j = 0;
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
                       {"provenance", provenance_name(answer.provenance)},
                       {"switches", window.switches},
                       {"switch_j", window.switch_j}});
    switch_j += window.switch_j;
  }
  return {{"problem", "dynamic"},
          {"objective", objective_name(problem.objective)},
          {"windows", windows},
          {"switches", answer.plan.switches},
          {"switch_j", switch_j},
          {"value", answer.plan.value},
          {"value_unit", objective_unit(problem)},
          {"static_value", or_null(answer.plan.static_value)},
          {"profiles", answer.profiles},
          {"run", or_null(answer.run)},
          {"notes", answer.notes}};
}

}  // namespace flyball
