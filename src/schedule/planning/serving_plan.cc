#include "schedule/planning/serving_plan.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/json.h"
#include "predictors/complete.h"
#include "profile/trials/offered_axes.h"
#include "profile/trials/table_profiler.h"
#include "schedule/board_readings.h"
#include "schedule/planning/arrival_miss.h"
#include "space/axis_choice.h"

namespace flyball {
namespace {

// The rows with these values, of those axes that the table has.
Result<WorkloadTable> kept_part(const WorkloadTable& table, const Settings& kept) {
  std::vector<AxisChoice> own;
  for (const auto& [name, value] : kept)
    if (table.space.axis_index(name)) {
      AxisChoice choice;
      choice.name = name;
      choice.values = {value};
      own.push_back(std::move(choice));
    }
  return own.empty() ? Result<WorkloadTable>(table) : narrowed(table, own);
}

// What cannot change while it serves.
struct Kept {
  Settings training;  ///< of the training's run
  Settings all;       ///< of every role's mode
};

Result<std::vector<WorkloadTable>> kept_parts(std::span<const WorkloadTable> tables,
                                              const Kept& kept) {
  std::vector<WorkloadTable> parts;
  for (const WorkloadTable& table : tables) {
    FLYBALL_ASSIGN(WorkloadTable part, kept_part(table, kept.all));
    if (part.phase == Phase::train) {
      FLYBALL_ASSIGN(part, kept_part(part, kept.training));
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

Result<SharedBoard> board_of(const std::vector<WorkloadTable>& tables) {
  std::vector<std::unique_ptr<Profiler>> profilers;
  for (const WorkloadTable& table : tables) profilers.push_back(make_table_profiler(table));
  return share_board(std::move(profilers));
}

// With every mode that the board can be set to, on axes of which more than one value was profiled;
// of what is added nothing is known.
Result<WorkloadTable> with_modes_of(const WorkloadTable& profiled, const Device& knobs) {
  std::vector<Axis> axes;
  for (Axis& axis : offered_axes(knobs, {})) {
    const auto column = profiled.space.axis_index(axis.name);
    if (!column) continue;
    std::set<double> values;
    for (size_t i = 0; i < profiled.size(); ++i) values.insert(profiled.space.row(i)[*column]);
    if (values.size() == 1) axis.values.assign(values.begin(), values.end());
    axes.push_back(std::move(axis));
  }
  const std::array known = {Space::grid(std::move(axes))};
  FLYBALL_ASSIGN(const Space space, open_modes(profiled, known));
  WorkloadTable all = profiled;
  for (size_t i = 0; i < space.size(); ++i)
    if (!profiled.space.find(space.row(i))) all.add(space.row(i), not_measured, not_measured);
  return all;
}

Kept kept_of(const ServingPlan& plan, const ServingBounds& bounds) {
  Kept kept{plan.training_settings(), bounds.all};
  for (const auto& [name, value] : bounds.training) kept.training[name] = value;
  if (!bounds.knobs) return kept;
  const PowerMode mode = plan.mode();
  for (const AxisState& state : bounds.knobs->states())
    if (const auto value = mode.values.find(state.axis.name);
        state.own && value != mode.values.end())
      kept.all.insert(*value);
  return kept;
}

Status check_request(const ServingRequest& request, size_t trainings, size_t services) {
  if (!can_plan_serving(trainings, services))
    return Error{Code::invalid_argument, planned_roles, "leave one out"};
  if (request.arrivals.size() == services && !request.plan.latencies_ms.empty()) return {};
  return Error{Code::invalid_argument, "each service needs arrivals and a latency budget",
               "name them, one for each service"};
}

// Requests as a plan simulates them.
ArrivalSpec planned_arrivals(const ArrivalSpec& spec, double latency_ms) {
  if (spec.kind == ArrivalKind::constant || spec.kind == ArrivalKind::poisson) return spec;
  const double rate_hz = spec.first_rate_hz();
  ArrivalSpec planned = poisson_arrivals(rate_hz > 0 ? rate_hz : 1e3 / latency_ms);
  planned.stands_in = true;
  return planned;
}

Result<Readings> known_readings(const SharedBoard& shared, std::span<const WorkloadTable> known) {
  if (known.empty()) return readings_of_board(shared);
  std::vector<const WorkloadTable*> tables;
  for (const WorkloadTable& table : known) tables.push_back(&table);
  return readings_there_are(*shared.candidates, tables);
}

}  // namespace

Json ServingPlan::json() const {
  Json roles = Json::array();
  for (size_t role = 0; role < choice.choice.size(); ++role)
    roles.push_back({{"workload", problem.roles[role].workload},
                     {"config", problem.candidates->space(role).settings(choice.choice[role])}});
  return roles;
}

PowerMode ServingPlan::mode() const {
  return problem.candidates->space(0).trial(choice.choice[0], "", Phase::train).mode;
}

Settings ServingPlan::training_settings() const {
  if (problem.roles.front().serves()) return {};
  return problem.candidates->space(0).trial(choice.choice[0], "", Phase::train).job.settings;
}

bool can_plan_serving(size_t trainings, size_t services) {
  return services >= 1 && trainings <= 1 && trainings + services <= 2;
}

Result<ServingPlan> plan_serving(SharedBoard shared, const ServingRequest& request,
                                 std::span<const WorkloadTable> known) {
  const auto services = static_cast<size_t>(std::ranges::count_if(
      shared.workloads(), [](const ProfilerInfo* who) { return who->phase == Phase::infer; }));
  FLYBALL_CHECK(check_request(request, shared.roles.size() - services, services));
  std::vector<ArrivalSpec> arrivals;
  Request posed = request.plan;
  posed.rates_hz.clear();
  for (const ArrivalSpec& spec : request.arrivals) {
    arrivals.push_back(
        planned_arrivals(spec, of_service(posed.latencies_ms, arrivals.size(), unlimited)));
    posed.rates_hz.push_back(arrivals.back().rate_hz);
  }
  ServingPlan plan;
  FLYBALL_ASSIGN(const Asked asked, make_problem(posed, shared));
  plan.problem = *asked.problem;
  FLYBALL_CHECK(validate(plan.problem, false));
  FLYBALL_ASSIGN(plan.readings, known_readings(shared, known));
  plan.shared = std::move(shared);
  plan.queue = request.queue;
  ArrivalPlanner planner(
      plan.live(), arrivals,
      {.percentile = request.percentile, .seed = posed.seed, .stop = posed.cancelled});
  const auto choice = planner.plan(plan.problem.budgets.power_w);
  if (!choice)
    return no_arrival_plan(planner, plan.problem, request.percentile, plan.problem.budgets.power_w)
        .why_not;
  plan.choice = *choice;
  return plan;
}

Result<ServingPlan> plan_profiled(std::span<const WorkloadTable> profiles,
                                  const ServingRequest& request, const ServingBounds& bounds) {
  FLYBALL_ASSIGN(const auto asked, kept_parts(profiles, {bounds.training, bounds.all}));
  FLYBALL_ASSIGN(SharedBoard all, board_of(asked));
  FLYBALL_ASSIGN(const ServingPlan first, plan_serving(std::move(all), request));
  FLYBALL_ASSIGN(const auto known, kept_parts(profiles, kept_of(first, bounds)));
  std::vector<WorkloadTable> tables = known;
  if (bounds.unknown_modes && sets_modes(bounds.knobs))
    for (WorkloadTable& table : tables) {
      FLYBALL_ASSIGN(table, with_modes_of(table, *bounds.knobs));
    }
  FLYBALL_ASSIGN(SharedBoard kept, board_of(tables));
  return plan_serving(std::move(kept), request, known);
}

bool sets_modes(const Device* knobs) {
  return knobs && !axes_for_others(*knobs).empty();
}

}  // namespace flyball
