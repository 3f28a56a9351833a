#include "cli/serving/serving_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "base/interrupt.h"
#include "base/text.h"
#include "cli/board.h"
#include "cli/stored.h"
#include "cli/tables.h"
#include "predict/registry/complete.h"
#include "profile/trials/offered_axes.h"
#include "profile/trials/table_profiler.h"
#include "schedule/board_readings.h"
#include "schedule/planning/arrival_miss.h"
#include "schedule/planning/mode_explorer.h"
#include "space/axis_choice.h"
#include "store/exchange.h"

namespace flyball::cli {
namespace {

// Told of a service whose tables hold several settings of a run: what they are narrowed to.
using Kept = std::vector<AxisChoice>;

AxisChoice one_value(const std::string& axis, double value) {
  AxisChoice choice;
  choice.name = axis;
  choice.values = {value};
  return choice;
}

bool has_axis(const WorkloadTable& table, const std::string& name) {
  return table.space.axis_index(name).has_value();
}

Result<WorkloadTable> keep(const WorkloadTable& table, const Kept& kept) {
  Kept own;
  for (const AxisChoice& choice : kept)
    if (has_axis(table, choice.name)) own.push_back(choice);
  return own.empty() ? Result<WorkloadTable>(table) : narrowed(table, own);
}

// The measurements that a plan may lean on: those that count, of this very board as it computes.
Result<std::optional<WorkloadTable>> stored_profiles(const ServeOptions& options,
                                                     const BoardInfo& board,
                                                     const std::string& workload, Phase phase) {
  if (options.plan.no_store) return std::optional<WorkloadTable>();
  FLYBALL_ASSIGN(Store store, open_stored(options.plan.store));
  MeasurementFilter filter;
  filter.device = board.device.name;
  filter.fingerprint = board.device.fingerprint;
  filter.workload = workload;
  filter.phase = phase;
  filter.provenance = Provenance::measured;
  FLYBALL_ASSIGN(StoredTrials all, stored_trials(store, filter));
  const StoredTrials profiles = of_latest_conditions(std::move(all));
  std::vector<WorkloadTable> tables = tables_of(profiles.trials);
  if (tables.empty()) return std::optional<WorkloadTable>();
  return std::optional(*std::ranges::max_element(tables, {}, &WorkloadTable::size));
}

// Another board's figures say nothing of this one.
Status check_board(const WorkloadTable& table, const std::string& file, const std::string& device) {
  if (table.device == device) return {};
  return Error{Code::invalid_argument,
               fmt::format("{} holds {}, and this board is {}", file, table.title(), device),
               "name tables of this board with --profiles, or leave it out for what the store has"};
}

Result<std::optional<WorkloadTable>> filed_profiles(const ServeOptions& options,
                                                    const std::string& device,
                                                    const std::string& workload, Phase phase) {
  for (const std::string& file : options.profiles) {
    FLYBALL_ASSIGN(const Table table, read_table(file));
    if (!table.find(workload, phase).ok()) continue;
    FLYBALL_ASSIGN(WorkloadTable found,
                   read_workload(file, workload, phase_name(phase), options.plan.accepted));
    FLYBALL_CHECK(check_board(found, file, device));
    return std::optional(std::move(found));
  }
  return std::optional<WorkloadTable>();
}

constexpr const char* planned_roles =
    "plans are for one training beside one service, or for one or two services";

bool can_plan(const ServeOptions& options) {
  return options.plan.train.size() <= 1 &&
         options.plan.train.size() + options.plan.infer.size() <= 2;
}

Error lacking_profiles(const ServeOptions& options, const std::string& what) {
  return {Code::not_found,
          fmt::format("{} hold{} no {}", join(options.profiles, ", "),
                      options.profiles.size() == 1 ? "s" : "", what),
          "name tables with every network in its phase, or leave --profiles out"};
}

struct Profiles {
  std::vector<WorkloadTable> tables;  ///< of the roles, training first
  std::string lacking;                ///< what there are none of; "" where all are there
};

Result<Profiles> profiles_of(const ServeOptions& options, const BoardInfo& board) {
  Profiles found;
  for (const Phase phase : {Phase::train, Phase::infer})
    for (const std::string& workload :
         phase == Phase::train ? options.plan.train : options.plan.infer) {
      FLYBALL_ASSIGN(auto table, options.profiles.empty()
                                     ? stored_profiles(options, board, workload, phase)
                                     : filed_profiles(options, board.device.name, workload, phase));
      if (table) {
        found.tables.push_back(*std::move(table));
        continue;
      }
      found.lacking += fmt::format("{}{} {}", found.lacking.empty() ? "" : ", ", workload,
                                   phase == Phase::train ? "training" : "inference");
    }
  return found;
}

Result<std::vector<WorkloadTable>> keep_all(const std::vector<WorkloadTable>& tables,
                                            const Kept& trained, const Kept& both) {
  std::vector<WorkloadTable> parts;
  for (const WorkloadTable& table : tables) {
    FLYBALL_ASSIGN(WorkloadTable part, keep(table, both));
    if (part.phase == Phase::train) {
      FLYBALL_ASSIGN(part, keep(part, trained));
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

// What the networks run with cannot change while they run: the plan's own settings from here on.
void keep_settings(const ServingPlan& plan, const Device* knobs, Kept& trained, Kept& both) {
  const Candidates& all = *plan.problem.candidates;
  if (!plan.problem.roles.front().serves())
    for (const auto& [name, value] :
         all.space(0).trial(plan.choice.choice[0], "", Phase::train).job.settings)
      trained.push_back(one_value(name, value));
  if (!knobs) return;
  const auto own = knobs->own_axes();
  for (const auto& [name, value] : plan.mode().values)
    if (std::ranges::find(own, name) != own.end()) both.push_back(one_value(name, value));
}

// What the user asked for, as narrowing of the training's table.
Kept asked_settings(const ServeOptions& options) {
  Kept kept;
  if (options.workers_asked) kept.push_back(one_value(axis::loader_workers, options.workers));
  if (options.train_batch_asked)
    kept.push_back(one_value(axis::batch_size, static_cast<double>(options.train_batch)));
  return kept;
}

void take_settings(const ServingPlan& plan, ServeOptions& options) {
  if (plan.problem.roles.front().serves()) return;
  const Settings job =
      plan.problem.candidates->space(0).trial(plan.choice.choice[0], "", Phase::train).job.settings;
  if (const auto found = job.find(axis::loader_workers); found != job.end())
    options.workers = static_cast<int>(found->second);
  if (const auto found = job.find(axis::batch_size); found != job.end())
    options.train_batch = static_cast<int64_t>(found->second);
}

// Is there anything to plan but this process' own cores?
bool sets_modes(const Device* knobs) {
  if (!knobs) return false;
  const auto own = knobs->own_axes();
  return std::ranges::any_of(knobs->axes(), [&](const Axis& axis) {
    return std::ranges::find(own, axis.name) == own.end();
  });
}

std::string how_to_profile(const ServeOptions& options, double rate_hz) {
  std::string command =
      options.plan.train.empty() ? "flyball plan inference" : "flyball plan concurrent";
  for (const std::string& name : options.plan.train) command += " --train " + name;
  for (const std::string& name : options.plan.infer) command += " --infer " + name;
  if (!options.plan.device.empty()) command += " --device " + options.plan.device;
  if (!options.plan.data.empty()) command += " --data " + options.plan.data;
  return command + fmt::format(" --rate {:g} --latency {:g}ms", rate_hz > 0 ? rate_hz : 60,
                               options.plan.request.latencies_ms.front());
}

}  // namespace

double first_rate(const ArrivalSpec& spec) {
  return spec.windows.empty() ? spec.rate_hz : spec.windows.front().rate_hz;
}

nlohmann::ordered_json ServingPlan::json() const {
  nlohmann::ordered_json roles = nlohmann::ordered_json::array();
  for (size_t role = 0; role < choice.choice.size(); ++role) {
    nlohmann::ordered_json config = nlohmann::ordered_json::object();
    for (const auto& [name, value] : problem.candidates->space(role).settings(choice.choice[role]))
      config[name] = value;
    roles.push_back({{"workload", problem.roles[role].workload}, {"config", config}});
  }
  return roles;
}

PowerMode ServingPlan::mode() const {
  return problem.candidates->space(0).trial(choice.choice[0], "", Phase::train).mode;
}

Result<std::vector<WorkloadTable>> tables_of_profiles(const ServeOptions& options,
                                                      const SharedBoard& shared) {
  std::vector<WorkloadTable> tables;
  for (size_t role = 0; role < shared.profilers.size() && !options.profiles.empty(); ++role) {
    const ProfilerInfo& info = shared.info(role);
    FLYBALL_ASSIGN(auto table, filed_profiles(options, info.device, info.workload, info.phase));
    if (!table)
      return lacking_profiles(
          options, info.workload + (info.phase == Phase::train ? " training" : " inference"));
    tables.push_back(*std::move(table));
  }
  return tables;
}

Status check_measure(const ServeOptions& options, const ServingPlan& plan, double switch_ms) {
  if (options.measure == 0) return {};
  if (known_modes(plan.problem, plan.readings, 0).size() == plan.problem.candidates->mode_count())
    return Error{Code::invalid_argument, "--measure: every mode that can be set here is profiled",
                 options.profiles.empty()
                     ? "name with --profiles a table of the modes that are known, or leave it out"
                     : "leave it out"};
  for (const Role& role : plan.problem.roles)
    if (role.serves() && !(switch_ms < role.latency_ms))
      return Error{Code::invalid_argument,
                   fmt::format("--measure: a change of mode takes {:g} ms, and no gap within a "
                               "latency budget of {:g} ms holds it",
                               switch_ms, role.latency_ms),
                   "allow more latency, or leave it out"};
  return {};
}

Result<ServingPlan> plan_serving(SharedBoard shared, ServeOptions& options,
                                 std::span<const WorkloadTable> known) {
  PlanOptions& asked = options.plan;
  if (!can_plan(options)) return Error{Code::invalid_argument, planned_roles, "leave one out"};
  asked.request.kind = asked.train.empty() ? "inference" : "concurrent";
  if (asked.infer.size() == 2) asked.request.kind = "two-inference";
  asked.request.rates_hz.clear();
  std::vector<ArrivalSpec> arrivals = options.arrivals;
  for (ArrivalSpec& spec : arrivals) {
    double rate_hz = first_rate(spec);
    if (!(rate_hz > 0)) rate_hz = 1e3 / asked.request.latencies_ms.front();  // not known
    if (spec.kind != ArrivalKind::constant) spec = poisson_arrivals(rate_hz);
    asked.request.rates_hz.push_back(spec.rate_hz);
  }
  FLYBALL_CHECK(read_plan_request(asked, shared));
  ServingPlan plan;
  plan.problem = plan_problem(asked.request, shared);
  FLYBALL_CHECK(validate(plan.problem, false));
  if (known.empty()) {
    FLYBALL_ASSIGN(plan.readings, readings_of_board(shared));
  } else {
    std::vector<const WorkloadTable*> tables;
    for (const WorkloadTable& table : known) tables.push_back(&table);
    FLYBALL_ASSIGN(plan.readings, readings_there_are(*shared.candidates, tables));
  }
  plan.shared = std::move(shared);
  ArrivalPlanner planner(
      plan.live(), arrivals,
      {.percentile = asked.percentile, .seed = asked.request.seed, .stop = &interrupt_flag()});
  const auto choice = planner.plan(plan.problem.budgets.power_w);
  if (!choice)
    return no_arrival_plan(planner, plan.problem, asked.percentile, plan.problem.budgets.power_w);
  plan.choice = *choice;
  return plan;
}

Result<std::optional<ServingPlan>> plan_live(ServeOptions& options, const BoardInfo& board,
                                             const Device* knobs, std::vector<std::string>& notes) {
  const auto without = [&](const std::string& why, const std::string& hint,
                           bool always = false) -> Result<std::optional<ServingPlan>> {
    if (options.plan.request.budgets.power_w != unlimited) return Error{Code::not_found, why, hint};
    if (sets_modes(knobs) || always)
      notes.push_back(why + ": the mode stays as it is (" + hint + ")");
    return std::optional<ServingPlan>();
  };
  if (!can_plan(options)) return without(planned_roles, "leave one out to have one made", true);
  const double rate_hz = options.planned_rates_hz().front();
  FLYBALL_ASSIGN(const Profiles profiles, profiles_of(options, board));
  if (!profiles.lacking.empty() && !options.profiles.empty())
    return lacking_profiles(options, profiles.lacking);
  if (!profiles.lacking.empty())
    return without("no profiles of " + profiles.lacking + " on this board to plan with",
                   "`" + how_to_profile(options, rate_hz) + "` makes them");
  Kept trained = asked_settings(options), both;
  FLYBALL_ASSIGN(const auto asked, keep_all(profiles.tables, trained, both));
  FLYBALL_ASSIGN(SharedBoard all, board_of(asked));
  FLYBALL_ASSIGN(ServingPlan first, plan_serving(std::move(all), options));
  keep_settings(first, knobs, trained, both);
  FLYBALL_ASSIGN(const auto known, keep_all(profiles.tables, trained, both));
  std::vector<WorkloadTable> tables = known;
  if (options.measure > 0 && sets_modes(knobs))
    for (WorkloadTable& table : tables) {
      FLYBALL_ASSIGN(table, with_modes_of(table, *knobs));
    }
  FLYBALL_ASSIGN(SharedBoard kept, board_of(tables));
  FLYBALL_ASSIGN(ServingPlan plan, plan_serving(std::move(kept), options, known));
  take_settings(plan, options);
  size_t rows = 0;
  for (const WorkloadTable& table : profiles.tables) rows += table.size();
  notes.push_back(fmt::format(
      "planned with {} profiles {}", rows,
      options.profiles.empty() ? "of the store" : "of " + join(options.profiles, ", ")));
  return std::optional(std::move(plan));
}

}  // namespace flyball::cli
