#include "space/like_boards.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/json.h"
#include "base/statistics.h"

namespace flyball {
namespace {

// Differences below the noise of a trial are none.
constexpr double far = 3.5, deviation_of_distance = 1.4826, least_pct = 2;
constexpr size_t boards_for_far = 5, most_kept = 64;

std::vector<size_t> far_ones(const std::map<size_t, double>& pct) {
  std::vector<size_t> boards;
  if (pct.size() < boards_for_far) return boards;
  std::vector<double> values, distances;
  for (const auto& [board, value] : pct) values.push_back(value);
  const double centre = median(values);
  for (const double value : values) distances.push_back(std::abs(value - centre));
  const double limit = std::max(least_pct, far * deviation_of_distance * median(distances));
  for (const auto& [board, value] : pct)
    if (std::abs(value - centre) > limit) boards.push_back(board);
  return boards;
}

double of_board(const std::map<size_t, double>& pct, size_t board) {
  const auto found = pct.find(board);
  return found == pct.end() ? 0 : found->second;
}

}  // namespace

void LikeBoards::Thinned::add(double value) {
  if (seen++ % step != 0) return;
  if (kept.size() == most_kept) {
    for (size_t i = 0; i < most_kept / 2; ++i) kept[i] = kept[2 * i];
    kept.resize(most_kept / 2);
    step *= 2;
  }
  if ((seen - 1) % step == 0) kept.push_back(static_cast<float>(value));
}

void LikeBoards::add(std::span<const MinibatchOf> boards) {
  if (boards.size() < 2) return;
  most_boards_ = std::max(most_boards_, boards.size());
  std::vector<double> ms, joules;
  for (const MinibatchOf& one : boards) {
    ms.push_back(one.ms);
    if (one.joules > 0) joules.push_back(one.joules);
  }
  time_cv_.push_back(standard_deviation(ms) / mean(ms));
  const double middle_ms = median(ms);
  for (const MinibatchOf& one : boards) time_ratios_[one.board].add(one.ms / middle_ms);
  if (joules.size() < 2) return;
  energy_cv_.push_back(standard_deviation(joules) / mean(joules));
  const double middle_j = median(joules);
  for (const MinibatchOf& one : boards)
    if (one.joules > 0) energy_ratios_[one.board].add(one.joules / middle_j);
}

std::map<size_t, double> LikeBoards::percents(const ByBoard& ratios) {
  std::map<size_t, double> middle;
  for (const auto& [board, values] : ratios)
    middle[board] = 100 * (median(std::vector<double>(values.kept.begin(), values.kept.end())) - 1);
  return middle;
}

std::vector<FarBoard> LikeBoards::far_boards() const {
  const auto time = percents(time_ratios_), energy = percents(energy_ratios_);
  std::set<size_t> names;
  for (const auto* pct : {&time, &energy})
    for (const size_t board : far_ones(*pct)) names.insert(board);
  std::vector<FarBoard> boards;
  for (const size_t board : names)
    boards.push_back({board, of_board(time, board), of_board(energy, board)});
  return boards;
}

BoardsSpread LikeBoards::spread(const std::function<std::string(size_t)>& name) const {
  BoardsSpread spread{.boards = most_boards_, .configurations = time_cv_.size()};
  if (!time_cv_.empty()) {
    spread.time_cv = median(time_cv_);
    spread.max_time_cv = std::ranges::max(time_cv_);
  }
  if (!energy_cv_.empty()) {
    spread.energy_cv = median(energy_cv_);
    spread.max_energy_cv = std::ranges::max(energy_cv_);
  }
  for (const FarBoard& one : far_boards())
    spread.outliers.push_back({name(one.board), one.time_pct, one.energy_pct});
  return spread;
}

Json to_json(const std::vector<NamedFarBoard>& boards) {
  Json list = Json::array();
  for (const NamedFarBoard& one : boards)
    list.push_back(
        {{"board", one.board}, {"time_pct", one.time_pct}, {"energy_pct", one.energy_pct}});
  return list;
}

}  // namespace flyball
