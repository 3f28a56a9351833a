// Figures of boards whose trials the store holds.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "answers/repeats.h"
#include "compare/compared_board.h"
#include "store/stored_trials.h"

namespace flyball {
namespace {

double setting(const Trial& trial, const char* name, double otherwise) {
  const auto found = trial.job.settings.find(name);
  return found == trial.job.settings.end() ? otherwise : found->second;
}

/// Keeps those with this value of a setting, where there are any.
bool keep_where_any(std::vector<StoredMeasurement>& trials, const char* name, double value) {
  const auto other = [&](const StoredMeasurement& one) {
    return setting(one.measurement.trial, name, not_measured) != value;
  };
  if (std::ranges::all_of(trials, other)) return false;
  std::erase_if(trials, other);
  return true;
}

/// Those at the settings that were asked for. Trials that do not say how they were loaded stand for
/// any loader where no other does, which is noted; what a loader is ahead by decides little, and is
/// taken where the store has it, as of tables.
void keep_as_asked(std::vector<StoredMeasurement>& trials, const std::string& network,
                   const BoardsQuestion& question, ComparedBoard& board) {
  std::erase_if(trials, [&](const StoredMeasurement& one) {
    return setting(one.measurement.trial, axis::batch_size, 0) != question.batch_size;
  });
  if (!keep_where_any(trials, axis::loader_workers, question.loader_workers)) {
    std::erase_if(trials, [](const StoredMeasurement& one) {
      return one.measurement.trial.job.settings.contains(axis::loader_workers);
    });
    if (!trials.empty())
      board.notes.push_back(
          fmt::format("the trials of {} on {} do not say how many loader workers they had", network,
                      board.name));
  }
  if (question.loader_workers > 0) keep_where_any(trials, axis::prefetch, question.prefetch);
}

/// The trial that comes nearest to the highest mode: values as shares of the highest there are.
const Trial* nearest_to_highest_of(std::span<const StoredMeasurement> trials) {
  Settings highest;
  for (const StoredMeasurement& one : trials)
    for (const auto& [name, value] : one.measurement.trial.mode.values)
      highest[name] = std::max(highest[name], value);
  const Trial* best = nullptr;
  double most = -1;
  for (const StoredMeasurement& one : trials) {
    double share = 0;
    for (const auto& [name, value] : one.measurement.trial.mode.values)
      if (highest[name] > 0) share += value / highest[name];
    if (share <= most) continue;
    most = share;
    best = &one.measurement.trial;
  }
  return best;
}

/// `other_conditions`: how many trials are left out since the latest had others.
BoardFigures figures_of(StoredTrials all, const ComparedNetwork& network,
                        const BoardsQuestion& question, ComparedBoard& board,
                        size_t& other_conditions) {
  BoardFigures figures;
  figures.minibatches = network.minibatches(question.batch_size);
  std::erase_if(all.trials, [&](const StoredMeasurement& one) {
    return one.measurement.whole_run() ||
           canonical_network(one.measurement.trial.job.workload) != network.name;
  });
  if (all.trials.empty()) {
    figures.missing = "the store holds no training of it there";
    if (all.left_out.simulated > 0)
      figures.missing +=
          fmt::format(" ({} are left out: --accept simulated takes them)", all.left_out.words());
    return figures;
  }
  keep_as_asked(all.trials, network.name, question, board);
  all = of_latest_conditions(std::move(all));
  other_conditions += all.left_out.other_conditions;
  const Trial* chosen = nearest_to_highest_of(all.trials);
  if (!chosen) {
    figures.missing = fmt::format(
        "the store holds no trial at batch size {:g} with {:g} loader "
        "workers (--batch-size, --workers)",
        question.batch_size, question.loader_workers);
    return figures;
  }
  std::vector<const Measurement*> readings;
  for (const StoredMeasurement& one : all.trials)
    if (one.measurement.trial == *chosen) readings.push_back(&one.measurement);
  figures.known = pooled(readings);
  figures.config = all_settings(*chosen);
  for (const Measurement* one : readings)
    if (one->power) board.add_total(one->power->total);
  return figures;
}

/// Whole runs are no trials: their minibatches wait for the loader, and clocks may be free.
Status note_experiments(Store& store, const std::string& name, std::vector<std::string>& notes) {
  FLYBALL_ASSIGN(const auto runs, store.experiment_runs({}));
  const auto count = std::ranges::count(runs, name, &ExperimentRun::device);
  if (count > 0)
    notes.push_back(fmt::format(
        "{}: trials of tunes alone are compared; the store holds {} run{} of experiments, too, "
        "which `flyball runs list` shows",
        name, count, count == 1 ? "" : "s"));
  return {};
}

}  // namespace

Result<ComparedBoard> stored_board_figures(Store& store, const std::string& name,
                                           const BoardsQuestion& question) {
  MeasurementFilter filter;
  filter.device = name;
  filter.phase = Phase::train;
  FLYBALL_ASSIGN(const StoredTrials all, stored_trials(store, filter, question.accepted));
  std::vector<std::string> experiments;
  FLYBALL_CHECK(note_experiments(store, name, experiments));
  if (all.trials.empty())
    return Error{Code::not_found,
                 fmt::format("the store holds no measured training on '{}'{}", name,
                             experiments.empty() ? "" : ", but runs of experiments"),
                 "`flyball runs list` shows what it holds; twin:BOARD is simulated, and table:FILE "
                 "was measured elsewhere"};
  ComparedBoard board{name, compared_title(name, "store"), BoardSource::store};
  LeftOutTrials left_out = all.left_out;
  for (const ComparedNetwork& network : question.networks)
    board.figures.push_back(figures_of(all, network, question, board, left_out.other_conditions));
  if (left_out.all() > 0)
    board.notes.push_back(fmt::format("{}: {} are left out", name, left_out.words()));
  board.notes.insert(board.notes.end(), experiments.begin(), experiments.end());
  return board;
}

}  // namespace flyball
