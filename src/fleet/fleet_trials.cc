#include "fleet/fleet_trials.h"

#include <algorithm>

#include "answers/stored_json.h"
#include "compare/compared_network.h"
#include "problem/problem.h"
#include "space/estimate.h"

namespace flyball {
namespace {

void add_epoch(CollectedMode& mode, double batch) {
  const ComparedNetwork network = compared_network(mode.workload, 0);
  const double minibatches = network.minibatches(batch);
  if (minibatches <= 0) return;
  mode.epoch_samples = network.samples;
  mode.epoch_s = minibatches * mode.minibatch_ms / 1000;
  if (mode.power_w) mode.epoch_j = *mode.epoch_s * *mode.power_w;
}

}  // namespace

size_t FleetTrials::number_of(const TrialBoard& board) {
  const auto [found, added] = numbers_.emplace(board, members_.size());
  if (added) members_.push_back(board);
  return found->second;
}

void FleetTrials::take(const TrialGroup& group) {
  std::map<FleetMake, std::vector<const TrialBoard*>> of;
  for (const TrialBoard& board : group.boards) of[makes_[board.board_id]].push_back(&board);
  for (const auto& [make, boards] : of) take_make(group, make, boards);
}

void FleetTrials::take_make(const TrialGroup& group, const FleetMake& make,
                            const std::vector<const TrialBoard*>& boards) {
  const FleetJob& job = jobs_[group.job_id];
  std::vector<NoisyReading> times, powers;
  Found found;
  std::vector<MinibatchOf> figures;
  for (const TrialBoard* board : boards) {
    figures.push_back({number_of(*board), board->ms, board->ms * board->power_w / 1000});
    found.mode.measurements += board->readings;
    times.push_back({board->ms});
    if (board->powers > 0) powers.push_back({board->power_w});
  }
  const double ms = of_boards(times, {}).value;
  const double power_w = powers.empty() ? 0 : of_boards(powers, {}).value;
  if (boards.size() > 1) {
    comparisons_[{make.kind, job.workload, job.phase, group.provenance}].add(figures);
    take_ratios(boards, ms, power_w);
  }
  CollectedMode& mode = found.mode;
  mode.kind = make.kind;
  mode.workload = job.workload;
  mode.phase = job.phase;
  mode.provenance = group.provenance;
  mode.power_total = group.power_total;
  mode.settings = settings_of(stored_document(job.settings));
  mode.mode = settings_of(stored_document(group.mode));
  mode.boards = boards.size();
  mode.minibatch_ms = ms;
  if (!powers.empty()) mode.power_w = power_w;
  take_mode(std::move(found));
}

void FleetTrials::take_ratios(const std::vector<const TrialBoard*>& boards, double ms,
                              double power_w) {
  for (const TrialBoard* board : boards) {
    FleetRatio& ratio = ratios_[board->place];
    ++ratio.trials;
    ratio.time += board->ms / ms;
    if (board->powers == 0 || power_w <= 0) continue;
    ++ratio.powers;
    ratio.power += board->power_w / power_w;
  }
}

void FleetTrials::take_mode(Found found) {
  CollectedMode& mode = found.mode;
  const auto batch = mode.settings.find("batch_size");
  const double samples = batch == mode.settings.end() ? 1 : std::max(batch->second, 1.0);
  if (mode.phase == "train" && batch != mode.settings.end()) add_epoch(mode, samples);
  found.sample_ms = mode.minibatch_ms / samples_per_minibatch(samples, mode.epoch_samples);
  if (mode.power_w) mode.sample_j = *mode.power_w * found.sample_ms / 1000;
  auto& best =
      best_[Choice(mode.kind, mode.workload, mode.phase, mode.provenance, mode.power_total)];
  best.resize(budgets_w_.size() + 2);
  const auto keep_faster = [&](std::optional<Found>& kept, std::optional<double> budget) {
    if (kept && kept->sample_ms <= found.sample_ms) return;
    kept = found;
    kept->mode.objective = "time";
    kept->mode.budget_w = budget;
  };
  keep_faster(best[0], {});
  for (size_t i = 0; i < budgets_w_.size(); ++i)
    if (mode.power_w && *mode.power_w <= budgets_w_[i]) keep_faster(best[i + 1], budgets_w_[i]);
  std::optional<Found>& least = best.back();
  if (!mode.sample_j || (least && *least->mode.sample_j <= *mode.sample_j)) return;
  least = std::move(found);
  least->mode.objective = "energy";
}

std::vector<CollectedSpread> FleetTrials::spread(
    const std::function<std::string(const BoardRow&)>& name) const {
  std::vector<CollectedSpread> all;
  for (const auto& [group, comparison] : comparisons_) {
    CollectedSpread spread{comparison.spread([&](size_t board) { return name(members_[board]); })};
    std::tie(spread.kind, spread.workload, spread.phase, spread.provenance) = group;
    all.push_back(std::move(spread));
  }
  return all;
}

std::vector<int64_t> FleetTrials::outliers() const {
  std::vector<int64_t> places;
  for (const auto& [group, comparison] : comparisons_)
    for (const FarBoard& one : comparison.far_boards()) places.push_back(members_[one.board].place);
  return places;
}

std::vector<CollectedMode> FleetTrials::best() const {
  std::vector<CollectedMode> modes;
  for (const auto& [choice, best] : best_)
    for (const std::optional<Found>& one : best)
      if (one) modes.push_back(one->mode);
  return modes;
}

}  // namespace flyball
