#include "fleet/fleet_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "answers/repeats.h"
#include "base/text.h"
#include "compare/compared_board.h"
#include "predict/contradicted.h"
#include "space/axis_choice.h"
#include "space/pareto.h"
#include "store/stored_trials.h"
#include "twin/prior.h"
#include "twin/twin.h"

namespace flyball {
namespace {

constexpr size_t most_named_boards = 8, most_named_modes = 3;

std::vector<FleetMode> front_of(const std::vector<FleetMode>& modes) {
  std::vector<double> power, time;
  for (const FleetMode& mode : modes) {
    power.push_back(mode.power_w);
    time.push_back(mode.minibatch_ms);
  }
  std::vector<FleetMode> front;
  for (const size_t i : pareto_front(power, time)) front.push_back(modes[i]);
  return front;
}

/// With the highest value of each axis.
const FleetMode* highest_mode(const std::vector<FleetMode>& modes) {
  Settings highest;
  for (const FleetMode& mode : modes)
    for (const auto& [name, value] : mode.config) {
      const auto [at, added] = highest.emplace(name, value);
      if (!added) at->second = std::max(at->second, value);
    }
  const auto found = std::ranges::find(modes, highest, &FleetMode::config);
  return found == modes.end() ? nullptr : &*found;
}

std::vector<FleetMode> modes_with_power(const WorkloadTable& table) {
  std::vector<FleetMode> modes;
  for (size_t row = 0; row < table.size(); ++row)
    if (table.minibatch_ms[row] > 0 && table.power_w[row] > 0)
      modes.push_back({table.space.settings(row), table.minibatch_ms[row], table.power_w[row],
                       table.known(row)});
  return modes;
}

/// With the lowest value of each axis.
PowerMode lowest_mode(const TwinBoard& board) {
  PowerMode mode;
  for (const Axis& axis : board.axes)
    mode.values[axis.name] = *std::ranges::min_element(axis.values);
  return mode;
}

std::vector<Axis> axes_of(const TwinBoard& board, const FleetTraining& training) {
  std::vector<Axis> axes(board.axes.begin(), board.axes.end());
  axes.push_back(named_axis(axis::batch_size, {training.batch_size}));
  axes.push_back(named_axis(axis::loader_workers, {training.loader_workers}));
  axes.push_back(named_axis(axis::prefetch, {training.prefetch}));
  return axes;
}

/// As the twin has it, with its loader.
Status check_memory(const TwinBoard& board, const TwinWorkload& workload,
                    const FleetTraining& training) {
  FLYBALL_ASSIGN(const Twin twin, Twin::make(board, workload));
  const MemoryNeed need = twin.memory({.mode = {},
                                       .batch_size = training.batch_size,
                                       .loader_workers = training.loader_workers,
                                       .prefetch = training.prefetch});
  if (need.fits()) return {};
  const double workers = workload.data.resident ? 0 : training.loader_workers;
  return Error{Code::infeasible,
               fmt::format("{} does not fit {}: {}", training.network.name, board.id,
                           need.text_of(training.batch_size, workers)),
               "take a smaller --batch-size, or leave the board out"};
}

Error unknown_power(const std::string& name) {
  return {Code::not_found, fmt::format("no power is known of {} with this training", name),
          "name boards whose power is known: twin:BOARD, or a table with power_w"};
}

Result<FleetKind> kind_of(const WorkloadTable& table, const std::string& title) {
  FleetKind kind{table.device, title};
  kind.power_total = table.power_total;
  const WorkloadTable merged = merge_repeats(table);
  kind.known_modes = merged.size();
  set_front(kind, modes_with_power(merged));
  if (kind.front.empty()) return unknown_power(kind.name);
  return kind;
}

/// The settings asked for, of the axes that the table has.
Result<WorkloadTable> as_asked(const WorkloadTable& table, const FleetTraining& training) {
  std::vector<AxisChoice> choices;
  const auto choose = [&](const char* name, double value) {
    if (find_axis(table.space.axes(), name)) choices.push_back({name, {value}, {}});
  };
  choose(axis::batch_size, training.batch_size);
  choose(axis::loader_workers, training.loader_workers);
  const Axis* ahead = find_axis(table.space.axes(), axis::prefetch);
  if (ahead && std::ranges::find(ahead->values, training.prefetch) != ahead->values.end())
    choose(axis::prefetch, training.prefetch);
  return narrowed(table, choices);
}

// A plan may rest on them, and its energy is too low then.
std::string misread_note(const WorkloadTable& table, const FleetKind& kind) {
  std::vector<std::string> modes;
  for (const size_t row : suspicious_power(table)) {
    const Settings mode = table.space.settings(row);
    if (std::ranges::find(kind.front, mode, &FleetMode::config) != kind.front.end())
      modes.push_back(describe(mode));
  }
  if (modes.empty()) return "";
  const size_t all = modes.size();
  if (all > most_named_modes) modes.resize(most_named_modes);
  return fmt::format(
      "{}: the power of {} of its {} best modes lies more than 6 % below what neighbours let "
      "expect, and was probably read too early; what rests on it draws more: {}{}",
      kind.name, all, kind.front.size(), join(modes, "; "), all > most_named_modes ? "; …" : "");
}

// Of the boards of a store: each counts once in a mode.
std::vector<FleetMode> means_of_boards(std::vector<StoredMeasurement>& trials, FleetKind& kind) {
  const OneTotal total = keep_one_total(trials);
  kind.power_total = total.taken;
  for (const std::string& note : total.notes(kind.name)) kind.notes.push_back(note);
  std::map<Settings, std::map<TrialOwner, std::vector<const Measurement*>>> configs;
  for (const auto& [board, readings] : by_owner(trials))
    for (const Measurement* m : readings)
      if (m->power) configs[all_settings(m->trial)][board].push_back(m);
  std::vector<FleetMode> modes;
  for (const auto& [config, boards] : configs)
    if (const Configuration known = of_owners(boards); known.minibatch_ms > 0 && known.power_w > 0)
      modes.push_back({config, known.minibatch_ms, known.power_w, known.provenance});
  return modes;
}

// "orin_nano (nano-1, nano-2)": kinds of boards that trained the network, whatever the settings.
Result<std::string> kinds_of_network(Store& store, const FleetTraining& training) {
  MeasurementFilter filter;
  filter.phase = Phase::train;
  FLYBALL_ASSIGN(const StoredTrials all, stored_trials(store, filter, training.accepted));
  std::map<std::string, std::set<std::string>> kinds;
  for (const StoredMeasurement& one : all.trials) {
    if (canonical_network(one.measurement.trial.job.workload) != training.network.name) continue;
    auto& boards = kinds[one.measurement.device];
    // A store that nobody gave a name is known by 32 digits, which say nothing.
    const bool named = !one.board.empty() && one.board.size() != 32;
    if (named && boards.size() < most_named_boards) boards.insert(one.board);
  }
  std::vector<std::string> texts;
  for (const auto& [kind, boards] : kinds)
    texts.push_back(boards.empty()
                        ? kind
                        : fmt::format("{} ({})", kind, join({boards.begin(), boards.end()}, ", ")));
  return join(texts, "; ");
}

}  // namespace

void set_front(FleetKind& kind, const std::vector<FleetMode>& modes) {
  kind.front = front_of(modes);
  if (kind.front.empty()) return;
  const FleetMode* highest = highest_mode(modes);
  kind.maxn = highest ? *highest : kind.front.back();
}

Result<FleetKind> simulated_kind(const TwinBoard& board, const std::string& title,
                                 const FleetTraining& training) {
  FLYBALL_ASSIGN(const TwinWorkload workload,
                 known_twin_workload(training.network.name, Phase::train));
  FLYBALL_CHECK(check_memory(board, workload, training));
  FLYBALL_ASSIGN(const WorkloadTable table, twin_prior(board, workload, twin_power_total(board),
                                                       axes_of(board, training), true));
  FLYBALL_ASSIGN(FleetKind kind, kind_of(table, title));
  FLYBALL_ASSIGN(const TwinPower idle,
                 idle_power(board, lowest_mode(board), TwinIdle{.governors = true}));
  kind.idle_w = twin_total_w(board, idle);
  return kind;
}

Result<FleetKind> tabled_kind(const Table& table, const FleetTraining& training) {
  const WorkloadTable* of_network = nullptr;
  for (const WorkloadTable& one : table.workloads) {
    if (one.phase != Phase::train || canonical_network(one.workload) != training.network.name)
      continue;
    if (of_network)
      return Error{Code::invalid_argument,
                   fmt::format("{} holds trainings of {} on several boards", table.name,
                               training.network.name),
                   "give each board a table of its own"};
    of_network = &one;
  }
  if (!of_network)
    return Error{Code::not_found,
                 fmt::format("{} holds no training of {}", table.name, training.network.name),
                 "name a table that does, or twin:BOARD, which is simulated"};
  size_t left_out = 0;
  const WorkloadTable accepted = accepted_rows(*of_network, training.accepted, left_out);
  if (accepted.size() == 0)
    return Error{Code::not_found, fmt::format("{} holds no measured rows of it", table.name),
                 "--accept takes other rows"};
  if (!find_axis(accepted.space.axes(), axis::batch_size))
    return Error{Code::not_found, table.name + " does not say the batch size of its trainings",
                 "add a column batch_size"};
  FLYBALL_ASSIGN(const WorkloadTable asked, as_asked(accepted, training));
  FLYBALL_ASSIGN(FleetKind kind, kind_of(asked, compared_title(of_network->device, "table")));
  if (std::string note = misread_note(merge_repeats(asked), kind); !note.empty())
    kind.notes.push_back(std::move(note));
  if (left_out > 0)
    kind.notes.push_back(
        fmt::format("{}: {} rows that were not measured are left out (--accept takes them)",
                    table.name, left_out));
  return kind;
}

Result<FleetKind> stored_kind(Store& store, const std::string& name,
                              const FleetTraining& training) {
  MeasurementFilter filter;
  filter.device = name;
  filter.phase = Phase::train;
  FLYBALL_ASSIGN(std::vector<StoredMeasurement> rows, stored_rows(store, filter));
  std::erase_if(rows, [&](const StoredMeasurement& one) {
    return canonical_network(one.measurement.trial.job.workload) != training.network.name;
  });
  StoredTrials all =
      of_latest_by_board(of_minibatches(counted(std::move(rows), training.accepted)));
  const bool loader_told =
      keep_as_asked(all.trials, {training.batch_size, training.loader_workers, training.prefetch});
  FleetKind kind{name, compared_title(name, "store")};
  const std::vector<FleetMode> modes = means_of_boards(all.trials, kind);
  kind.known_modes = modes.size();
  set_front(kind, modes);
  if (kind.front.empty()) {
    Error error = unknown_power(name);
    if (!all.trials.empty()) return error;
    error.message = fmt::format(
        "the store holds no training of {} on '{}' at batch size {:g} with {:g} loader workers "
        "(--batch-size, --workers)",
        training.network.name, name, training.batch_size, training.loader_workers);
    FLYBALL_ASSIGN(const std::string known, kinds_of_network(store, training));
    if (!known.empty()) error.hint = "its trainings there are on " + known;
    if (all.left_out.other_conditions > 0)
      error.hint +=
          fmt::format("{}{} are left out", error.hint.empty() ? "" : "; ", all.left_out.words());
    if (all.left_out.simulated > 0) error.hint = all.left_out.accept_hint();
    return error;
  }
  if (!loader_told)
    kind.notes.push_back(
        fmt::format("the trials of {} on {} do not say how many loader workers they had",
                    training.network.name, name));
  if (all.left_out.all() > 0)
    kind.notes.push_back(fmt::format("{}: {} are left out", name, all.left_out.words()));
  return kind;
}

}  // namespace flyball
