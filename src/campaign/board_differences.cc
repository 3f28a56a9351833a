#include "campaign/board_differences.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/json.h"
#include "space/like_boards.h"

namespace flyball {

namespace {

// Of which a reading tells more than of the board: it throttled, or another process measured.
std::set<std::string> disturbed_configs(const Json& answer) {
  std::set<std::string> configs;
  const Json profiled = value_at(answer, "profiled");
  if (!profiled.is_array()) return configs;
  for (const Json& trial : profiled)
    if (value_at(trial, "throttled") == true || value_at(trial, "disturbed").is_string())
      configs.insert(value_at(trial, "config").dump());
  return configs;
}

}  // namespace

void BoardDifferences::add(const CellAnswer& cell, const Json& answer) {
  const auto measured = answer.find("measured");
  if (measured == answer.end() || !measured->is_array()) return;
  Group& group = groups_[{cell.kind, cell.workload, cell.question, cell.budget}];
  const std::string total = text_of(value_at(answer, "device"), "power_total");
  const std::set<std::string> disturbed = disturbed_configs(answer);
  for (const Json& one : *measured) {
    const auto ms = number_of(one, "minibatch_ms"), watts = number_of(one, "power_w");
    if (!ms || !one.contains("config") || disturbed.contains(one.at("config").dump())) continue;
    MinibatchOf figures{.ms = *ms};
    if (watts) figures.joules = figures.ms * 1e-3 * *watts;
    // Only what was measured alike is compared.
    const std::string how = text_of(one, "provenance");
    group.configurations[{one.at("config").dump(), how, total}][cell.board] = figures;
    group.boards.insert(cell.board);
    group.provenances[how] = true;
  }
}

KindSpread BoardDifferences::spread_of(const Key& key, const Group& group) {
  LikeBoards comparison;
  const std::vector<std::string> names(group.boards.begin(), group.boards.end());
  const auto number = [&](const std::string& board) {
    return static_cast<size_t>(std::ranges::lower_bound(names, board) - names.begin());
  };
  for (const auto& [config, boards] : group.configurations) {
    std::vector<MinibatchOf> figures;
    for (const auto& [board, one] : boards) figures.push_back({number(board), one.ms, one.joules});
    comparison.add(figures);
  }
  KindSpread spread{comparison.spread([&](size_t board) { return names[board]; })};
  std::tie(spread.kind, spread.workload, spread.question, spread.budget) = key;
  spread.boards = names.size();
  if (!group.provenances.empty())
    spread.provenance =
        group.provenances.size() == 1 ? group.provenances.begin()->first : std::string("mixed");
  return spread;
}

std::vector<KindSpread> BoardDifferences::all() const {
  std::vector<KindSpread> list;
  for (const auto& [key, group] : groups_)
    if (group.boards.size() > 1) list.push_back(spread_of(key, group));
  return list;
}

}  // namespace flyball
