#include "tune/mode_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "answers/repeats.h"
#include "base/text.h"
#include "cost/tabled_networks.h"
#include "device/registry/board.h"
#include "profile/trials/offered_axes.h"
#include "store/exchange.h"
#include "twin/prior.h"

namespace flyball {
namespace {

// Whoever was tried more often would decide for all of them.
std::vector<StoredMeasurement> one_of_each_owner(const std::vector<StoredMeasurement>& trials) {
  std::set<TrialOwner> owners;
  for (const StoredMeasurement& one : trials) owners.insert(owner_of(one));
  if (owners.size() < 2) return trials;
  using OwnReading = std::tuple<Phase, std::string, Settings, TrialOwner>;
  std::map<OwnReading, std::vector<const StoredMeasurement*>> readings;
  for (const StoredMeasurement& one : trials) {
    const Measurement& m = one.measurement;
    readings[{m.trial.job.phase, m.power ? m.power->total : "", all_settings(m.trial),
              owner_of(one)}]
        .push_back(&one);
  }
  std::vector<StoredMeasurement> means;
  for (const auto& [reading, of] : readings) {
    std::vector<const Measurement*> all;
    for (const StoredMeasurement* one : of) all.push_back(&one->measurement);
    const Configuration known = pooled(all);
    Measurement& merged = means.emplace_back(*of.front()).measurement;
    merged.minibatch_ms = known.minibatch_ms;
    merged.provenance = known.provenance;
    if (merged.power) merged.power->mean_w = known.power_w;
  }
  return means;
}

}  // namespace

Result<KnownModes> known_modes(const std::string& device) {
  KnownModes modes;
  modes.device = device;
  if (may_name_absent_board(device)) return modes;
  auto opened = open_board(device);
  if (!opened) {
    // A name without a colon may be that of a board which references or the store know.
    if (device.find(':') != std::string::npos) return opened.error();
    modes.unopened = opened.error();
    return modes;
  }
  const auto board = *std::move(opened);
  modes.device = board->info().device.name;
  modes.simulated = board->info().provenance == Provenance::simulated;
  modes.here = board->live() && !modes.simulated;
  if (modes.simulated) modes.fingerprint = board->info().device.fingerprint;
  if (!board->live()) {
    modes.tables = board->table()->workloads;
    for (const WorkloadTable& workload : modes.tables) modes.spaces.push_back(workload.space);
    return modes;
  }
  FLYBALL_ASSIGN(const auto knobs, board->knobs());
  modes.spaces.push_back(Space::grid(knobs->axes()));
  return modes;
}

Result<StoredWorkload> stored_workload(Store& store, const MeasurementFilter& filter,
                                       Accepted accepted) {
  FLYBALL_ASSIGN(StoredTrials all, stored_trials(store, filter, accepted));
  const StoredTrials taken = of_latest_by_board(of_minibatches(std::move(all)));
  StoredWorkload stored;
  stored.left_out = taken.left_out;
  FLYBALL_ASSIGN(stored.runs, store.makers(taken.trials));
  std::vector<WorkloadTable> tables = tables_of(one_of_each_owner(taken.trials));
  if (tables.empty() && stored.left_out.whole_runs > 0) {
    Error error = no_minibatches(stored.left_out);
    error.code = Code::invalid_argument;  // there are some
    return error;
  }
  if (tables.empty() && stored.left_out.all() > 0)
    return Error{
        Code::invalid_argument,
        fmt::format("of {} on {} the store holds {} alone",
                    filter.workload.value_or("any workload"), filter.device.value_or("any board"),
                    stored.left_out.words()),
        "profile some with `flyball tune`, or give measurements with --from FILE; --accept takes "
        "simulated and predicted ones"};
  if (tables.empty())
    return Error{
        Code::not_found,
        fmt::format("the store holds no measurement of {} on {}",
                    filter.workload.value_or("any workload"), filter.device.value_or("any board")),
        "give measurements with --from FILE, or profile some with `flyball tune`"};
  if (tables.size() > 1)
    return Error{
        Code::invalid_argument,
        fmt::format("the store's measurements of {} on {} differ in phase, axes or power "
                    "total and cannot be taken together",
                    filter.workload.value_or("any workload"), filter.device.value_or("any board")),
        "say --phase, or `flyball export` those you mean and give them with --from"};
  stored.table = std::move(tables.front());
  stored.table.accepted = accepted;
  // What ran here was Flyball's own network; what was imported or simulated is as papers have it.
  const Measurement& first = taken.trials.front().measurement;
  const bool own = first.origin == Origin::live && first.provenance == Provenance::measured;
  const WorkloadTable& table = stored.table;
  stored.table.cost =
      own ? network_cost(table.workload, table.phase) : tabled_cost(table.workload, table.phase);
  return stored;
}

namespace {

std::set<std::string> axis_names(const WorkloadTable& table) {
  std::set<std::string> names;
  for (const Axis& axis : table.space.axes()) names.insert(axis.name);
  return names;
}

// "device and axes": why rows of both make no one fit; "" where they do.
std::string what_differs(const WorkloadTable& a, const WorkloadTable& b) {
  const bool totals = a.power_total != b.power_total && a.has_power() && b.has_power();
  std::vector<std::string> found;
  if (a.workload != b.workload) found.emplace_back("workload");
  if (a.phase != b.phase) found.emplace_back("phase");
  if (a.device != b.device) found.emplace_back("device");
  if (axis_names(a) != axis_names(b)) found.emplace_back("axes");
  if (totals) found.emplace_back("power total");
  return join(found, " and ");
}

// Rows of another board are no slip of one clock.
Error of_another_board(const WorkloadTable& measured, const KnownModes& modes, Error error) {
  if (measured.device.empty() || measured.device == modes.device) return error;
  return {Code::invalid_argument,
          fmt::format("the measurements of {} are of {}, and {} has not their modes",
                      measured.workload, measured.device, modes.device),
          fmt::format("give measurements of {}, or name the board that they are of with --device",
                      modes.device)};
}

// The configurations whose batch size the prior has, too: others do not fit the board's memory.
Space within(const Space& space, const Space& prior) {
  const auto column = space.axis_index(axis::batch_size);
  const Axis* batches = find_axis(prior.axes(), axis::batch_size);
  if (!column || !batches) return space;
  std::vector<size_t> kept;
  for (size_t i = 0; i < space.size(); ++i)
    if (std::ranges::find(batches->values, space.row(i)[*column]) != batches->values.end())
      kept.push_back(i);
  return space.subset(kept);
}

}  // namespace

Result<WorkloadTable> unmeasured_workload(const KnownModes& modes, const std::string& workload,
                                          Phase phase) {
  if (!modes.twin || modes.spaces.empty())
    return Error{Code::not_found, fmt::format("nothing simulates {}", modes.device), ""};
  FLYBALL_CHECK(known_twin_workload(workload, phase));
  WorkloadTable table;
  table.device = modes.device;
  table.workload = workload;
  table.phase = phase;
  table.power_total = twin_power_total(*modes.twin);
  table.cost = tabled_cost(workload, phase);
  std::vector<Axis> axes = {
      named_axis(axis::batch_size,
                 phase == Phase::infer ? served_batches() : std::vector<double>{usual_batch_size})};
  for (const Axis& axis : modes.spaces.front().axes()) axes.push_back(named_axis(axis.name));
  table.space = Space(std::move(axes));
  return table;
}

Result<WorkloadTable> joined(std::span<const WorkloadTable> parts,
                             std::span<const std::string> names) {
  WorkloadTable all = parts.front();
  for (size_t k = 1; k < parts.size(); ++k) {
    const WorkloadTable& part = parts[k];
    if (const std::string different = what_differs(all, part); !different.empty())
      return Error{Code::invalid_argument,
                   fmt::format("{} holds {} and {} holds {}: they differ in {} and do not belong "
                               "together",
                               names[0], all.title(), names[k], part.title(), different),
                   "files given with --from must agree in workload, phase, device, axes and power "
                   "total; others may help with --reference"};
    if (!all.has_power()) all.power_total = part.power_total;
    for (size_t i = 0; i < part.size(); ++i) {
      FLYBALL_ASSIGN(const auto row, all.space.to_row(part.space.settings(i)));
      all.add(row, part.minibatch_ms[i], part.power_w[i], part.known(i));
    }
  }
  return all;
}

namespace {

// Of what was not measured the twin has every configuration that fits.
Error does_not_fit(const WorkloadTable& asked, const KnownModes& modes) {
  const std::string device = (modes.simulated ? "twin:" : "") + modes.device;
  return {Code::infeasible,
          fmt::format("{} {} does not fit {}", asked.workload, phase_name(asked.phase), device),
          fmt::format("`flyball describe {} --phase {} --device {}` says which batches do",
                      asked.workload, phase_name(asked.phase), device)};
}

}  // namespace

Result<std::vector<Space>> spaces_of(const KnownModes& modes,
                                     std::span<const WorkloadTable> references) {
  std::vector<Space> spaces = modes.spaces;
  if (spaces.empty())
    for (const WorkloadTable& reference : references)
      if (reference.device == modes.device) spaces.push_back(reference.space);
  if (!spaces.empty()) return spaces;
  if (modes.unopened) return *modes.unopened;
  return Error{Code::invalid_argument, fmt::format("the modes of '{}' are not known", modes.device),
               fmt::format("host is this machine; table:FILE lists modes; twin:BOARD simulates {}; "
                           "else a --reference (or `flyball reference add`) of that device must "
                           "list them",
                           join(twin_boards(), ", "))};
}

Result<CompletedTable> predict_modes(const WorkloadTable& measured, const KnownModes& modes,
                                     std::span<const WorkloadTable> references,
                                     const std::string& predictor, uint64_t seed) {
  FLYBALL_ASSIGN(const auto spaces, spaces_of(modes, references));
  auto opened = open_modes(measured, spaces);
  if (!opened) return of_another_board(measured, modes, opened.error());
  Space space = *std::move(opened);
  WorkloadTable known = measured;
  if (modes.twin) known.prior = known_prior(*modes.twin, measured, space.axes(), modes.simulated);
  if (modes.twin && !known.prior && measured.size() == 0) return does_not_fit(measured, modes);
  if (known.prior && measured.size() == 0) space = within(space, known.prior->space);
  return complete(known, space, references, predictor, {seed});
}

PredictionSummary summarise(const CompletedTable& all) {
  PredictionSummary summary;
  for (size_t i = 0; i < all.table.size(); ++i) {
    if (all.table.provenance[i] != Provenance::predicted) continue;
    ++summary.predicted;
    summary.extrapolated += all.extrapolated[i];
    const double time = all.table.minibatch_ms[i], power = all.table.power_w[i];
    summary.time_ms.push_back(time);
    summary.time_pct.push_back(50 * (all.time_hi90[i] - all.time_lo90[i]) / time);
    if (std::isnan(power)) continue;
    summary.power_w.push_back(power);
    summary.power_pct.push_back(50 * (all.power_hi90[i] - all.power_lo90[i]) / power);
  }
  return summary;
}

}  // namespace flyball
