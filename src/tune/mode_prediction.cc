#include "tune/mode_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "device/registry/board.h"
#include "profile/trials/twin_profiler.h"
#include "space/trial_facts.h"
#include "store/exchange.h"

namespace flyball {
namespace {

bool imported(const SameConditions& same) {
  return same.conditions && same.conditions->empty();
}

bool was_simulated(const SameConditions& same) {
  return same.conditions && same.conditions->contains(simulated_condition);
}

bool was_disturbed(const SameConditions& same) {
  return same.conditions && same.conditions->contains(disturbed_condition);
}

}  // namespace

Result<KnownModes> known_modes(const std::string& device) {
  KnownModes modes;
  modes.device = device;
  if (!parse_board(device)) return modes;
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
  FLYBALL_ASSIGN(auto all, store.conditions(filter));
  if (!accepted.simulated) std::erase_if(all, was_simulated);
  const auto latest = std::find_if_not(all.rbegin(), all.rend(), [](const SameConditions& same) {
    return imported(same) || was_disturbed(same);
  });
  StoredWorkload stored;
  std::vector<StoredMeasurement> taken;
  for (const SameConditions& same : all) {
    if (!imported(same) && (latest == all.rend() || &same != &*latest)) {
      stored.left_out += same.measurements;
      continue;
    }
    MeasurementFilter part = filter;
    part.fingerprint = same.fingerprint;
    part.conditions = same.conditions;
    FLYBALL_ASSIGN(const auto some, store.measurements(part));
    taken.insert(taken.end(), some.begin(), some.end());
  }
  FLYBALL_ASSIGN(stored.runs, store.makers(taken));
  std::vector<WorkloadTable> tables = tables_of(taken);
  if (tables.empty())
    return Error{
        Code::invalid_argument,
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
  return stored;
}

Result<WorkloadTable> joined(std::span<const WorkloadTable> parts,
                             std::span<const std::string> names) {
  WorkloadTable all = parts.front();
  for (size_t k = 1; k < parts.size(); ++k) {
    const WorkloadTable& part = parts[k];
    if (part.phase != all.phase || part.device != all.device || part.power_total != all.power_total)
      return Error{Code::invalid_argument,
                   fmt::format("{} holds {} and {}, which do not belong together", names[k],
                               part.title(), all.title()),
                   "files given with --from must agree in device, phase and power total"};
    for (size_t i = 0; i < part.size(); ++i) {
      FLYBALL_ASSIGN(const auto row, all.space.to_row(part.space.settings(i)));
      all.add(row, part.minibatch_ms[i], part.power_w[i], part.known(i));
    }
  }
  return all;
}

Result<CompletedTable> predict_modes(const WorkloadTable& measured, const KnownModes& modes,
                                     std::span<const WorkloadTable> references,
                                     const std::string& predictor, uint64_t seed) {
  std::vector<Space> spaces = modes.spaces;
  if (spaces.empty())
    for (const WorkloadTable& reference : references)
      if (reference.device == modes.device) spaces.push_back(reference.space);
  if (spaces.empty() && modes.unopened) return *modes.unopened;
  if (spaces.empty())
    return Error{Code::invalid_argument,
                 fmt::format("the modes of '{}' are not known", modes.device),
                 "host is this machine; table:FILE lists modes; else a --reference (or `flyball "
                 "reference add`) of that device must list them"};
  FLYBALL_ASSIGN(const Space space, open_modes(measured, spaces));
  return complete(measured, space, references, predictor, {seed});
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
