#include "benchmark/ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "answers/answer.h"
#include "base/json.h"

namespace flyball {
namespace {

bool is_simulated(const CheckedResult& one) {
  return one.read.result.provenance() == Provenance::simulated;
}

/// Why a result stands in no table. Nobody signs off what was simulated.
std::string reason_to_leave(const CheckedResult& one) {
  if (!is_simulated(one)) return one.broken();
  for (const AppliedRule& rule : one.rules)
    if (rule.holds == false && rule.rule != "measured" && rule.rule != "signed off")
      return rule.rule + ": " + rule.why;
  return "";
}

RankedRow row_of(const CheckedResult& checked, const EntryResult& entry) {
  RankedRow row;
  row.board = checked.read.result.board.name;
  row.file = checked.read.file;
  row.signed_off_by = checked.read.result.signed_off_by;
  row.provenance = entry.provenance;
  row.epochs_to_target = entry.epochs_to_target();
  row.time_to_target_s = entry.time_to_target_s();
  row.epoch_s = entry.epoch_s();
  if (entry.provenance == Provenance::simulated || checked.power_counts(entry.entry.id)) {
    row.energy_to_target_j = entry.energy_to_target_j();
    if (row.energy_to_target_j) row.mean_w = entry.power.mean_w;
  }
  return row;
}

std::optional<double> figure_of(const RankedRow& row, RankedBy by) {
  return by == RankedBy::time ? row.time_to_target_s : row.energy_to_target_j;
}

void give_ranks(std::vector<RankedRow>& rows, RankedBy by) {
  std::ranges::stable_sort(rows, {}, [by](const RankedRow& row) { return *figure_of(row, by); });
  const auto measured = [](const RankedRow& row) { return row.provenance == Provenance::measured; };
  const auto best = std::ranges::find_if(rows, measured);
  const double reference =
      rows.empty() ? 0 : *figure_of(best == rows.end() ? rows.front() : *best, by);
  int rank = 0;
  for (RankedRow& row : rows) {
    if (measured(row)) row.rank = ++rank;
    row.ratio = *figure_of(row, by) / reference;
  }
}

/// The files with a rank in each entry, where there is one.
void rank_overall(Ranking& ranking) {
  std::vector<std::string> files;
  for (const RankedEntry& entry : ranking.entries)
    for (const RankedRow& row : entry.rows)
      if (row.rank && std::ranges::find(files, row.file) == files.end()) files.push_back(row.file);
  if (files.empty()) return;
  const auto find = [](const RankedEntry& entry, const std::string& file) {
    return std::ranges::find_if(entry.rows,
                                [&](const RankedRow& row) { return row.rank && row.file == file; });
  };
  std::vector<const RankedEntry*> shared;
  for (const RankedEntry& entry : ranking.entries)
    if (std::ranges::all_of(files, [&](const std::string& file) {
          return find(entry, file) != entry.rows.end();
        })) {
      shared.push_back(&entry);
      ranking.shared.push_back(entry.entry.id);
    }
  if (shared.empty()) return;
  for (const std::string& file : files) {
    RankedBoard board{
        .rank = 0, .board = find(*shared.front(), file)->board, .file = file, .ratio = 0};
    double logs = 0;
    for (const RankedEntry* entry : shared) logs += std::log(find(*entry, file)->ratio);
    board.ratio = std::exp(logs / static_cast<double>(shared.size()));
    ranking.overall.push_back(board);
  }
  std::ranges::stable_sort(ranking.overall, {}, &RankedBoard::ratio);
  for (size_t i = 0; i < ranking.overall.size(); ++i)
    ranking.overall[i].rank = static_cast<int>(i) + 1;
}

Json row_json(const RankedRow& row) {
  return {{"rank", or_null(row.rank)},
          {"board", row.board},
          {"file", row.file},
          {"signed_off_by", text_or_null(row.signed_off_by)},
          {"provenance", provenance_name(row.provenance)},
          {"epochs_to_target", or_null(row.epochs_to_target)},
          {"time_to_target_s", or_null(row.time_to_target_s)},
          {"epoch_s", or_null(row.epoch_s)},
          {"energy_to_target_j", or_null(row.energy_to_target_j)},
          {"mean_w", or_null(row.mean_w)},
          {"ratio", row.ratio}};
}

}  // namespace

Ranking rank_results(const std::vector<CheckedResult>& results, const Benchmark& benchmark,
                     RankedBy by) {
  Ranking ranking;
  ranking.by = by;
  for (const BenchmarkEntry& entry : benchmark.entries) ranking.entries.push_back({entry, {}});
  std::map<std::string, std::string> seen;  // files by what they hold
  for (const CheckedResult& checked : results) {
    std::string why = reason_to_leave(checked);
    const auto [first, is_new] =
        seen.try_emplace(benchmark_json(checked.read.result).dump(), checked.read.file);
    if (!is_new) why = "it holds the same result as " + first->second;
    if (!why.empty()) {
      ranking.left_out.push_back({checked.read.file, "", why});
      continue;
    }
    for (const EntryResult& entry : checked.read.result.entries) {
      if (!entry.failure.empty()) {
        ranking.left_out.push_back({checked.read.file, entry.entry.id, entry.failure});
        continue;
      }
      const auto place = std::ranges::find_if(
          ranking.entries, [&](const RankedEntry& one) { return one.entry.id == entry.entry.id; });
      RankedRow row = row_of(checked, entry);
      if (figure_of(row, by))
        place->rows.push_back(std::move(row));
      else
        ranking.left_out.push_back(
            {checked.read.file, entry.entry.id,
             entry.power.gap.empty() ? "its power breaks the rules" : entry.power.gap});
    }
  }
  std::erase_if(ranking.entries, [](const RankedEntry& entry) { return entry.rows.empty(); });
  for (RankedEntry& entry : ranking.entries) give_ranks(entry.rows, by);
  rank_overall(ranking);
  return ranking;
}

Json ranking_json(const Ranking& ranking) {
  Json json{{"schema", json_schema}, {"by", ranking.by == RankedBy::time ? "time" : "energy"}};
  json["entries"] = Json::array();
  for (const RankedEntry& entry : ranking.entries) {
    Json one{{"id", entry.entry.id},
             {"quality", quality_name(entry.entry.quality)},
             {"target", entry.entry.target}};
    one["rows"] = Json::array();
    for (const RankedRow& row : entry.rows) one["rows"].push_back(row_json(row));
    json["entries"].push_back(std::move(one));
  }
  json["shared"] = ranking.shared;
  json["overall"] = Json::array();
  for (const RankedBoard& board : ranking.overall)
    json["overall"].push_back({{"rank", board.rank},
                               {"board", board.board},
                               {"file", board.file},
                               {"ratio", board.ratio}});
  json["left_out"] = Json::array();
  for (const LeftOut& one : ranking.left_out)
    json["left_out"].push_back(
        {{"file", one.file}, {"entry", text_or_null(one.entry)}, {"why", one.why}});
  return json;
}

}  // namespace flyball
