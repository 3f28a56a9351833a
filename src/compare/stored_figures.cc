// Figures of boards whose trials the store holds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "answers/repeats.h"
#include "base/distributions.h"
#include "compare/compared_board.h"
#include "space/estimate.h"
#include "store/stored_trials.h"

namespace flyball {
namespace {

AskedSettings asked_of(const BoardsQuestion& question) {
  return {question.batch_size, question.loader_workers, question.prefetch};
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

NoisyReading as_reading(double value, double low, double high) {
  const double width = high - low;
  return {value,
          std::isfinite(width) ? width / (2 * normal_quantile(0.95) * value) : unknown_noise};
}

/// Of several boards each counts once, by what it read itself, as `fleet choose` counts them.
Configuration pooled_by_board(const std::map<TrialOwner, std::vector<const Measurement*>>& boards) {
  if (boards.size() == 1) return pooled(boards.begin()->second);
  Provenance provenance = Provenance::measured;  // of different kinds the weaker one
  std::vector<NoisyReading> times, powers;
  for (const auto& [board, readings] : boards) {
    const Configuration of = pooled(readings);
    provenance = std::max(provenance, of.provenance);
    times.push_back(as_reading(of.minibatch_ms, of.time_lo, of.time_hi));
    if (of.power_w > 0) powers.push_back(as_reading(of.power_w, of.power_lo, of.power_hi));
  }
  const Estimate time = pooled(times, provenance), power = pooled(powers, provenance);
  return {time.value, time.low, time.high, power.value, power.low, power.high, provenance};
}

/// `other_conditions`: how many trials are left out since the latest had others.
BoardFigures figures_of(StoredTrials all, const ComparedNetwork& network,
                        const BoardsQuestion& question, ComparedBoard& board,
                        size_t& other_conditions) {
  BoardFigures figures;
  figures.minibatches = network.minibatches(question.batch_size);
  std::erase_if(all.trials, [&](const StoredMeasurement& one) {
    return canonical_network(one.measurement.trial.job.workload) != network.name;
  });
  if (all.trials.empty()) {
    figures.missing = "the store holds no training of it there";
    if (all.left_out.simulated > 0)
      figures.missing +=
          fmt::format(" ({} are left out: --accept simulated takes them)", all.left_out.words());
    return figures;
  }
  if (!keep_as_asked(all.trials, asked_of(question)) && !all.trials.empty())
    board.notes.push_back(
        fmt::format("the trials of {} on {} do not say how many loader workers they had",
                    network.name, board.name));
  all = of_latest_by_board(std::move(all));
  other_conditions += all.left_out.other_conditions;
  const Trial* nearest = nearest_to_highest_of(all.trials);
  if (!nearest) {
    figures.missing = fmt::format(
        "the store holds no trial at batch size {:g} with {:g} loader "
        "workers (--batch-size, --workers)",
        question.batch_size, question.loader_workers);
    return figures;
  }
  const Trial chosen = *nearest;
  std::erase_if(all.trials,
                [&](const StoredMeasurement& one) { return one.measurement.trial != chosen; });
  const auto boards = by_owner(all.trials);
  figures.known = pooled_by_board(boards);
  if (boards.size() > 1)
    board.notes.push_back(fmt::format("{} on {}: of {} boards, each of which counts once",
                                      network.name, board.name, boards.size()));
  figures.config = all_settings(chosen);
  for (const StoredMeasurement& one : all.trials)
    if (one.measurement.power) board.add_total(one.measurement.power->total);
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
  FLYBALL_ASSIGN(StoredTrials stored, stored_trials(store, filter, question.accepted));
  const StoredTrials all = of_minibatches(std::move(stored));
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
