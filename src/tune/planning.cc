#include "tune/planning.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/clock.h"
#include "base/json.h"
#include "tune/request.h"

namespace flyball {
namespace {

// One budget and one sum are of one power; who has none says so elsewhere.
Status check_one_total(const std::vector<std::unique_ptr<Profiler>>& profilers) {
  const ProfilerInfo* first = nullptr;
  const auto named = [](const ProfilerInfo& info) {
    return info.power_total.empty() ? "no named total" : "'" + info.power_total + "'";
  };
  for (const auto& profiler : profilers) {
    const ProfilerInfo& own = profiler->info();
    if (!own.power_gap.empty()) continue;
    if (!first) first = &own;
    if (own.power_total != first->power_total)
      return Error{Code::invalid_argument,
                   fmt::format("the power of {} is of {}, that of {} of {}", first->workload,
                               named(*first), own.workload, named(own)),
                   "workloads that share a board must be measured with one power total"};
  }
  return {};
}

Status check_one_board(const std::vector<std::unique_ptr<Profiler>>& profilers) {
  const ProfilerInfo& first = profilers.front()->info();
  for (const auto& profiler : profilers) {
    const ProfilerInfo& own = profiler->info();
    if (own.device != first.device)
      return Error{Code::invalid_argument,
                   fmt::format("{} was measured on {}, {} on {}", first.workload, first.device,
                               own.workload, own.device),
                   "workloads that share a board must be measured on one"};
  }
  return {};
}

Objective usual_objective(const PlanRequest& request, const SharedBoard& board) {
  const bool trains = board.info(0).phase == Phase::train;
  const bool serves = board.info(board.profilers.size() - 1).phase == Phase::infer;
  if (!serves) return Objective::time;
  if (trains) return Objective::throughput;
  return request.kind == "dynamic" ? Objective::power : Objective::latency;
}

}  // namespace

double of_service(const std::vector<double>& figures, size_t which, double otherwise) {
  return figures.empty() ? otherwise : figures[std::min(which, figures.size() - 1)];
}

std::vector<SessionRole> SharedBoard::roles() const {
  std::vector<SessionRole> roles;
  for (size_t role = 0; role < profilers.size(); ++role)
    roles.push_back({profilers[role].get(), config[role]});
  return roles;
}

bool SharedBoard::simulated() const {
  return std::ranges::all_of(profilers, [](const auto& role) {
    return role->info().live && role->info().provenance == Provenance::simulated;
  });
}

Result<SharedBoard> share_board(std::vector<std::unique_ptr<Profiler>> profilers) {
  FLYBALL_CHECK(check_one_board(profilers));
  FLYBALL_CHECK(check_one_total(profilers));
  std::vector<Space> spaces;
  for (const auto& profiler : profilers) spaces.push_back(profiler->space());
  FLYBALL_ASSIGN(Candidates linked, Candidates::link(std::move(spaces)));
  SharedBoard board;
  for (size_t role = 0; role < profilers.size(); ++role) {
    const Space& own = profilers[role]->space();
    const Space& common = linked.space(role);
    std::vector<size_t>& config = board.config.emplace_back();
    for (size_t c = 0; c < common.size(); ++c) {
      // Linking may order the axes differently: look rows up by name.
      FLYBALL_ASSIGN(const auto row, own.to_row(common.settings(c)));
      config.push_back(*own.find(row));
    }
  }
  board.candidates = std::make_shared<const Candidates>(std::move(linked));
  board.profilers = std::move(profilers);
  return board;
}

Problem plan_problem(const PlanRequest& request, const SharedBoard& board) {
  Problem problem;
  problem.candidates = board.candidates;
  problem.objective = request.objective.value_or(usual_objective(request, board));
  problem.budgets = request.budgets;
  problem.separate_modes = request.separate_modes;
  problem.switch_ms = request.switch_ms;
  problem.switch_j = request.switch_j;
  problem.idle_w = request.idle_w;
  size_t service = 0;
  for (const auto& profiler : board.profilers) {
    Role role = role_of(profiler->info());
    if (role.phase == Phase::infer) {
      role.rate_hz = of_service(request.rates_hz, service, 0);
      role.latency_ms = of_service(request.latencies_ms, service, unlimited);
      ++service;
    }
    problem.roles.push_back(std::move(role));
  }
  problem.per_sample = trains_in_several_batches(*problem.candidates, problem.roles);
  return problem;
}

nlohmann::ordered_json plan_request_json(const PlanRequest& request, const SharedBoard& board) {
  const Problem problem = plan_problem(request, board);
  nlohmann::ordered_json json = {{"problem", request.kind},
                                 {"device", board.info(0).device},
                                 {"objective", objective_name(problem.objective)},
                                 {"power_budget_w", or_null(problem.budgets.power_w)},
                                 {"time_budget_ms", or_null(problem.budgets.time_ms)},
                                 {"energy_budget_j", or_null(problem.budgets.energy_j)},
                                 {"separate_modes", problem.separate_modes},
                                 {"switch_ms", problem.switch_ms}};
  if (problem.switch_j > 0) json["switch_j"] = problem.switch_j;
  if (!problem.idle_w.empty()) json["idle_w"] = problem.idle_w;
  for (size_t i = 0; i < problem.roles.size(); ++i) {
    const Role& role = problem.roles[i];
    json["roles"].push_back({{"workload", role.workload},
                             {"phase", phase_name(role.phase)},
                             {"rate_hz", role.rate_hz},
                             {"latency_ms", or_null(role.latency_ms)},
                             {"fingerprint", board.info(i).fingerprint}});
  }
  json.update(options_json(request));
  return json;
}

std::vector<std::string> gap_notes(const SharedBoard& board) {
  std::vector<std::string> notes;
  for (const SessionRole& role : board.roles())
    for (const std::string& gap : role.profiler->info().gaps)
      if (std::ranges::find(notes, gap) == notes.end()) notes.push_back(gap);
  return notes;
}

void complete_plan(const Session& session, const PlanRequest& request, const Problem& problem,
                   SearchAnswer& answer) {
  const auto own = static_cast<std::ptrdiff_t>(answer.notes.size());
  session.complete(answer);
  std::string known = known_text(answer.configurations_profiled(), configurations_of(problem),
                                 answer.profiled.size(), answer.reused());
  if (!known.empty()) answer.notes.insert(answer.notes.begin() + own, std::move(known));
  answer.notes.insert(answer.notes.end(), request.cost_notes.begin(), request.cost_notes.end());
}

Result<Plan> make_plan(const SharedBoard& board, Store* store, const PlanRequest& request,
                       const SessionListener& listener) {
  const auto problem = std::make_shared<const Problem>(plan_problem(request, board));
  Plan plan;
  const auto describe_request = [&] {
    plan.kind = request.kind;
    plan.modes = board.info(0).modes;
  };
  if (const Status sound = validate(*problem); !sound.ok()) {
    if (sound.error().code != Code::infeasible) return sound.error();
    plan.problem = problem;  // an answer too: nothing needs to be profiled to know it
    plan.started_utc = wall_clock_utc();
    plan.infeasible = sound.error();
    describe_request();
    return plan;
  }
  FLYBALL_ASSIGN(const auto session, Session::open(board.roles(), request, store, listener));
  FLYBALL_CHECK(session->check(problem));
  const auto work = [&]() -> Result<nlohmann::ordered_json> {
    FLYBALL_ASSIGN(SearchOutcome outcome, session->search(problem));
    SearchAnswer found;
    found.notes = gap_notes(board);
    outcome.add_to(found);
    complete_plan(*session, request, *problem, found);
    plan = draw_plan(*outcome.strategy, std::move(found));
    describe_request();
    return to_json(plan);
  };
  FLYBALL_CHECK(session->answer(request.command, plan_request_json(request, board), work));
  return plan;
}

}  // namespace flyball
