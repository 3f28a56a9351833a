#include "schedule/serving/serving_profiles.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/os/told_errors.h"
#include "base/text.h"
#include "schedule/planning/mode_explorer.h"
#include "space/axis_choice.h"
#include "store/exchange.h"
#include "store/stored_trials.h"

namespace flyball {
namespace {

// Tables need not say of which total their power is, and who reads no power keeps no budget.
bool other_total(const std::string& total, const std::string& of_board) {
  return !total.empty() && !of_board.empty() && total != of_board;
}

// The measurements that a plan may lean on: those that count, of this very board as it computes
// (another of its kind, whose store was collected into this one, has the same fingerprint),
// whose power is the one that is watched while it is served.
Result<std::optional<WorkloadTable>> stored_profiles(const ProfileSource& source,
                                                     const ServedBoard& board,
                                                     const std::string& workload, Phase phase) {
  if (!source.store) return std::optional<WorkloadTable>();
  FLYBALL_ASSIGN(Store store, source.store());
  MeasurementFilter filter;
  filter.device = board.info.device.name;
  filter.fingerprint = board.info.device.fingerprint;
  filter.workload = workload;
  filter.phase = phase;
  filter.provenance = Provenance::measured;
  filter.own = true;
  FLYBALL_ASSIGN(StoredTrials all, stored_trials(store, filter));
  std::erase_if(all.trials, [&](const StoredMeasurement& trial) {
    const auto& power = trial.measurement.power;
    return power && other_total(power->total, board.power_total);
  });
  const StoredTrials profiles = of_latest_conditions(of_minibatches(std::move(all)));
  const std::vector<WorkloadTable> tables = tables_of(profiles.trials);
  if (tables.empty()) return std::optional<WorkloadTable>();
  return std::optional(*std::ranges::max_element(tables, {}, &WorkloadTable::size));
}

// Another board's figures say nothing of this one.
Status check_board(const WorkloadTable& table, const std::string& file, const std::string& device) {
  if (table.device == device) return {};
  return Error{Code::invalid_argument,
               fmt::format("{} holds {}, and this board is {}", file, table.title(), device),
               "name tables of this board with --measured, or leave it out for what the store has"};
}

// A budget is kept by the power that is watched: what a table's figures are of has to be that.
Status check_total(const WorkloadTable& table, const std::string& total) {
  if (!table.has_power() || !other_total(table.power_total, total)) return {};
  return Error{Code::invalid_argument,
               fmt::format("the power of {} is that of '{}', and this board's is that of '{}'",
                           table.title(), table.power_total, total),
               "name tables of this total with --measured, or leave it out for what the store has"};
}

// A table that does not say it is taken for one of the board's total.
bool take_total(WorkloadTable& table, const std::string& total) {
  if (!table.has_power() || !table.power_total.empty() || total.empty()) return false;
  table.power_total = total;
  return true;
}

Result<std::optional<WorkloadTable>> filed_profiles(const ProfileSource& source,
                                                    const std::string& device,
                                                    const std::string& workload, Phase phase) {
  for (const std::string& file : source.files) {
    FLYBALL_ASSIGN(const Table table, read_table(file));
    if (!table.find(workload, phase).ok()) continue;
    FLYBALL_ASSIGN(WorkloadTable found, source.read(file, workload, phase));
    FLYBALL_CHECK(check_board(found, file, device));
    return std::optional(std::move(found));
  }
  return std::optional<WorkloadTable>();
}

Error lacking_profiles(const ProfileSource& source, const std::string& what) {
  return {Code::not_found,
          fmt::format("{} hold{} no {}", join(source.files, ", "),
                      source.files.size() == 1 ? "s" : "", what),
          "name tables with every network in its phase, or leave --measured out"};
}

// The rows of this batch, as those of single requests: whoever asks for a turn makes one of them.
Result<WorkloadTable> as_turns(const WorkloadTable& table, int64_t batch) {
  const auto column = table.space.axis_index(axis::batch_size);
  if (!column) return table;
  AxisChoice own;
  own.name = axis::batch_size;
  own.values = {static_cast<double>(batch)};
  FLYBALL_ASSIGN(WorkloadTable turns, narrowed(table, std::vector{own}));
  std::vector<Axis> axes = turns.space.axes();
  axes[*column].values = {1};
  Space space(std::move(axes));
  for (size_t i = 0; i < turns.size(); ++i) {
    std::vector<double> config(turns.space.row(i).begin(), turns.space.row(i).end());
    config[*column] = 1;
    space.add(config);
  }
  turns.space = std::move(space);
  return turns;
}

struct Profiles {
  std::vector<WorkloadTable> tables;  ///< of the roles, training first
  std::string lacking;                ///< what there are none of; "" where all are there
  bool total_taken = false;           ///< some did not say of which total their power is
};

Result<Profiles> profiles_of(const ServeRequest& request, const ProfileSource& source,
                             const ServedBoard& board) {
  Profiles found;
  for (const Phase phase : {Phase::train, Phase::infer})
    for (const std::string& workload : phase == Phase::train ? request.train : request.infer) {
      FLYBALL_ASSIGN(auto table,
                     source.files.empty()
                         ? stored_profiles(source, board, workload, phase)
                         : filed_profiles(source, board.info.device.name, workload, phase));
      if (table) {
        FLYBALL_CHECK(check_total(*table, board.power_total));
        found.total_taken |= take_total(*table, board.power_total);
        if (phase == Phase::infer && request.turn_batch) {
          FLYBALL_ASSIGN(table, as_turns(*table, *request.turn_batch));
        }
        found.tables.push_back(*std::move(table));
        continue;
      }
      found.lacking += fmt::format("{}{} {}", found.lacking.empty() ? "" : ", ", workload,
                                   phase == Phase::train ? "training" : "inference");
    }
  return found;
}

// What the user asked the training to run with.
Settings asked_settings(const ServeRequest& request) {
  Settings asked;
  if (request.workers) asked[axis::loader_workers] = *request.workers;
  if (request.train_batch) asked[axis::batch_size] = static_cast<double>(*request.train_batch);
  return asked;
}

void take_settings(const Settings& job, ServeRequest& request) {
  if (const auto found = job.find(axis::loader_workers); found != job.end())
    request.workers = static_cast<int>(found->second);
  if (const auto found = job.find(axis::batch_size); found != job.end())
    request.train_batch = static_cast<int64_t>(found->second);
}

std::string how_to_profile(const ServeRequest& request, const ProfileSource& source,
                           double rate_hz) {
  if (!source.of_networks) return "name a table of each with --measured FILE.csv";
  std::string command = !request.train.empty()      ? "`flyball plan concurrent"
                        : request.infer.size() == 2 ? "`flyball plan two-inference"
                                                    : "`flyball plan inference";
  for (const std::string& name : request.train) command += " --train " + name;
  for (const std::string& name : request.infer) command += " --infer " + name;
  if (!request.device.empty()) command += " --device " + request.device;
  if (!request.data.empty()) command += " --data " + request.data;
  return command + fmt::format(" --rate {:g} --latency {:g}ms` makes them",
                               rate_hz > 0 ? rate_hz : 60, request.plan.latencies_ms.front());
}

}  // namespace

Result<std::vector<WorkloadTable>> tables_of_profiles(const ProfileSource& source,
                                                      const SharedBoard& shared) {
  std::vector<WorkloadTable> tables;
  for (size_t role = 0; role < shared.roles.size() && !source.files.empty(); ++role) {
    const ProfilerInfo& info = shared.info(role);
    FLYBALL_ASSIGN(auto table, filed_profiles(source, info.device, info.workload, info.phase));
    if (!table)
      return lacking_profiles(
          source, info.workload + (info.phase == Phase::train ? " training" : " inference"));
    FLYBALL_CHECK(check_total(*table, info.power_total));
    take_total(*table, info.power_total);
    tables.push_back(*std::move(table));
  }
  return tables;
}

Status check_measure(const ServeRequest& request, const ProfileSource& source,
                     const ServingPlan& plan, double switch_ms) {
  if (request.measure == 0) return {};
  if (known_modes(plan.problem, plan.readings, 0).size() == plan.problem.candidates->mode_count())
    return Error{Code::invalid_argument, "--measure: every mode that can be set here is profiled",
                 source.files.empty()
                     ? "name with --measured a table of the modes that are known, or leave it out"
                     : "leave it out"};
  for (const Role& role : plan.problem.roles)
    if (role.serves() &&
        !(switch_ms < role.latency_ms - plan.problem.margin.of_ms(role.latency_ms)))
      return Error{Code::invalid_argument,
                   fmt::format("--measure: a change of mode takes {:g} ms, and no gap within a "
                               "latency budget of {:g} ms holds it",
                               switch_ms, role.latency_ms),
                   "allow more latency, or leave it out"};
  return {};
}

Result<std::optional<ServingPlan>> plan_live(ServeRequest& request, const ProfileSource& source,
                                             const ServedBoard& board, const Device* knobs,
                                             std::vector<std::string>& notes) {
  const auto without = [&](const std::string& why, const std::string& hint,
                           bool always = false) -> Result<std::optional<ServingPlan>> {
    if (request.plan.power_budget_w != unlimited) return Error{Code::not_found, why, hint};
    if (sets_modes(knobs) || always)
      notes.push_back(in_one_line({Code::not_found, why + ": the mode stays as it is", hint}));
    return std::optional<ServingPlan>();
  };
  if (!can_plan_serving(request.train.size(), request.infer.size()))
    return without(planned_roles, "leave one out to have one made", true);
  const double rate_hz = request.planned_rates_hz().front();
  FLYBALL_ASSIGN(const Profiles profiles, profiles_of(request, source, board));
  if (!profiles.lacking.empty() && !source.files.empty())
    return lacking_profiles(source, profiles.lacking);
  if (!profiles.lacking.empty())
    return without("no profiles of " + profiles.lacking + " on this board to plan with",
                   how_to_profile(request, source, rate_hz));
  FLYBALL_ASSIGN(ServingPlan plan,
                 plan_profiled(profiles.tables, request,
                               {asked_settings(request), knobs, request.measure > 0, board.fixed}));
  take_settings(plan.training_settings(), request);
  if (profiles.total_taken)
    notes.push_back(
        fmt::format("the profiles do not say of which total their power is: it is "
                    "taken for that of this board, '{}'",
                    board.power_total));
  size_t rows = 0;
  for (const WorkloadTable& table : profiles.tables) rows += table.size();
  notes.push_back(
      fmt::format("planned with {} trials {}, in {} modes", rows,
                  source.files.empty() ? "of the store" : "of " + join(source.files, ", "),
                  known_modes(plan.problem, plan.readings, 0).size()));
  return std::optional(std::move(plan));
}

}  // namespace flyball
