// Figures of boards whose trials the store holds.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "answers/repeats.h"
#include "compare/compared_board.h"
#include "store/stored_trials.h"

namespace flyball {
namespace {

AskedSettings asked_of(const BoardsQuestion& question) {
  return {question.batch_size, question.loader_workers, question.prefetch};
}

/// The trials of a network among these rows, by whichever of its names.
StoredTrials trials_of(const std::vector<StoredMeasurement>& rows, const std::string& network,
                       Accepted accepted) {
  std::vector<StoredMeasurement> own;
  std::ranges::copy_if(rows, std::back_inserter(own), [&](const StoredMeasurement& one) {
    return canonical_network(one.measurement.trial.job.workload) == network;
  });
  return of_minibatches(counted(std::move(own), accepted));
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

/// `all`: the trials of this network.
BoardFigures figures_of(StoredTrials all, const ComparedNetwork& network,
                        const BoardsQuestion& question, ComparedBoard& board) {
  BoardFigures figures;
  figures.minibatches = network.minibatches(question.batch_size);
  if (all.trials.empty()) {
    figures.missing = "the store holds no training of it there";
    if (all.left_out.simulated > 0)
      figures.missing += fmt::format(" ({})", all.left_out.accept_hint());
    return figures;
  }
  if (!keep_as_asked(all.trials, asked_of(question)) && !all.trials.empty())
    board.notes.push_back(
        fmt::format("the trials of {} on {} do not say how many loader workers they had",
                    network.name, board.name));
  const OneTotal total = keep_one_total(all.trials);
  for (const std::string& note : total.notes(fmt::format("{} on {}", network.name, board.name)))
    board.notes.push_back(note);
  const Trial* nearest = nearest_to_highest_of(all.trials);
  if (!nearest) {
    figures.missing = fmt::format(
        "the store holds no trial at batch size {:g} with {:g} loader "
        "workers (--batch-size, --workers){}",
        question.batch_size, question.loader_workers,
        all.left_out.other_conditions > 0 ? " under its latest conditions" : "");
    return figures;
  }
  const Trial chosen = *nearest;
  std::erase_if(all.trials,
                [&](const StoredMeasurement& one) { return one.measurement.trial != chosen; });
  const auto boards = by_owner(all.trials);
  figures.known = of_owners(boards);
  if (boards.size() > 1)
    board.notes.push_back(fmt::format("{} on {}: of {} boards, each of which counts once",
                                      network.name, board.name, boards.size()));
  figures.config = all_settings(chosen);
  if (all.trials.front().measurement.power) board.add_total(total.taken);
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
  FLYBALL_ASSIGN(const std::vector<StoredMeasurement> rows, stored_rows(store, filter));
  std::vector<std::string> experiments;
  FLYBALL_CHECK(note_experiments(store, name, experiments));
  ComparedBoard board{name, compared_title(name, "store"), BoardSource::store};
  LeftOutTrials left_out;
  for (const ComparedNetwork& network : question.networks) {
    StoredTrials own = of_latest_by_board(trials_of(rows, network.name, question.accepted));
    left_out.add(own.left_out);
    board.figures.push_back(figures_of(std::move(own), network, question, board));
  }
  if (of_minibatches(counted(rows, question.accepted)).trials.empty())
    return Error{Code::not_found,
                 fmt::format("the store holds no measured training on '{}'{}", name,
                             experiments.empty() ? "" : ", but runs of experiments"),
                 left_out.simulated > 0
                     ? left_out.accept_hint()
                     : "`flyball runs list` shows what it holds; twin:BOARD is simulated, and "
                       "table:FILE was measured elsewhere"};
  if (left_out.all() > 0)
    board.notes.push_back(fmt::format("{}: {} are left out", name, left_out.words()));
  board.notes.insert(board.notes.end(), experiments.begin(), experiments.end());
  return board;
}

}  // namespace flyball
