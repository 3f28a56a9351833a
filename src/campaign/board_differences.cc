#include "campaign/board_differences.h"

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "base/statistics.h"

namespace flyball {
namespace {

// Boards further from the middle than so many standard deviations, which the median of distances
// estimates, are named; differences below the noise of a trial are none.
constexpr double far = 3.5, deviation_of_distance = 1.4826, least_pct = 2;
constexpr size_t boards_for_outliers = 5;

using ByName = std::map<std::string, std::vector<double>>;

// Of each board its median over configurations, in percent above the middle board.
std::map<std::string, double> medians(const ByName& ratios) {
  std::map<std::string, double> middle;
  for (const auto& [board, values] : ratios) middle[board] = 100 * (median(values) - 1);
  return middle;
}

std::vector<std::string> far_ones(const std::map<std::string, double>& pct) {
  std::vector<double> values, distances;
  for (const auto& [board, value] : pct) values.push_back(value);
  const double centre = median(values);
  for (const double value : values) distances.push_back(std::abs(value - centre));
  const double limit = std::max(least_pct, far * deviation_of_distance * median(distances));
  std::vector<std::string> boards;
  for (const auto& [board, value] : pct)
    if (std::abs(value - centre) > limit) boards.push_back(board);
  return boards;
}

}  // namespace

void BoardDifferences::add(const CellAnswer& cell, const Json& answer) {
  const auto measured = answer.find("measured");
  if (measured == answer.end() || !measured->is_array()) return;
  Group& group = groups_[{cell.kind, cell.workload, cell.question, cell.budget}];
  group.boards[cell.board] = true;
  for (const Json& one : *measured) {
    const Json ms = one.value("minibatch_ms", Json()), watts = one.value("power_w", Json());
    if (!ms.is_number() || !one.contains("config")) continue;
    Figures figures{.ms = ms.get<double>()};
    if (watts.is_number()) figures.joules = figures.ms * 1e-3 * watts.get<double>();
    group.configurations[one.at("config").dump()][cell.board] = figures;
    group.provenances[one.value("provenance", "")] = true;
  }
}

KindSpread BoardDifferences::spread_of(const Key& key, const Group& group) {
  KindSpread spread;
  std::tie(spread.kind, spread.workload, spread.question, spread.budget) = key;
  spread.boards = group.boards.size();
  if (!group.provenances.empty())
    spread.provenance =
        group.provenances.size() == 1 ? group.provenances.begin()->first : std::string("mixed");
  std::vector<double> time_cv, energy_cv;
  ByName time_ratios, energy_ratios;
  for (const auto& [config, boards] : group.configurations) {
    if (boards.size() < 2) continue;
    ++spread.configurations;
    std::vector<double> ms, joules;
    for (const auto& [board, figures] : boards) {
      ms.push_back(figures.ms);
      if (figures.joules > 0) joules.push_back(figures.joules);
    }
    time_cv.push_back(standard_deviation(ms) / mean(ms));
    if (joules.size() == ms.size()) energy_cv.push_back(standard_deviation(joules) / mean(joules));
    for (const auto& [board, figures] : boards) {
      time_ratios[board].push_back(figures.ms / median(ms));
      if (joules.size() == ms.size())
        energy_ratios[board].push_back(figures.joules / median(joules));
    }
  }
  if (!time_cv.empty()) spread.time_cv = median(time_cv);
  if (!energy_cv.empty()) spread.energy_cv = median(energy_cv);
  if (time_ratios.size() < boards_for_outliers) return spread;
  const auto time_pct = medians(time_ratios), energy_pct = medians(energy_ratios);
  std::vector<std::string> names = far_ones(time_pct);
  for (const std::string& board : far_ones(energy_pct))
    if (std::ranges::find(names, board) == names.end()) names.push_back(board);
  for (const std::string& board : names) {
    const auto joules = energy_pct.find(board);
    spread.outliers.push_back(
        {board, time_pct.at(board), joules == energy_pct.end() ? 0 : joules->second});
  }
  return spread;
}

std::vector<KindSpread> BoardDifferences::all() const {
  std::vector<KindSpread> list;
  for (const auto& [key, group] : groups_)
    if (group.boards.size() > 1) list.push_back(spread_of(key, group));
  return list;
}

}  // namespace flyball
