#include "cli/text/benchmark_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/figure.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/output.h"

namespace flyball::cli {
namespace {

std::string seconds(const std::optional<double>& value) {
  return value ? format_seconds({*value}) : "-";
}

std::string stall_text(const EntryResult& result) {
  double stall_s = 0, all_s = 0;
  for (const BenchmarkEpoch& epoch : result.epochs) stall_s += epoch.stall_s, all_s += epoch.e2e_s;
  return all_s > 0 ? fmt::format("{:.0f}", 100 * stall_s / all_s) : "-";
}

std::string mode_text(const PowerMode& mode) {
  std::vector<std::string> parts;
  for (const auto& [axis, value] : mode.values)
    parts.push_back(fmt::format("{} {:g}", axis, value));
  return join(parts, ", ");
}

std::string holds_text(const std::optional<bool>& holds) {
  if (!holds) return "-";
  return *holds ? "holds" : "BROKEN";
}

std::string rows_text(const RankedEntry& entry, RankedBy by) {
  TextTable table({"", "board", "epochs", "to target", "epoch", "energy J", "mean W",
                   by == RankedBy::time ? "× time" : "× energy", "known", "file"});
  for (const RankedRow& row : entry.rows)
    table.add({row.rank ? fmt::format("{}.", *row.rank) : "", row.board,
               or_dash(row.epochs_to_target), seconds(row.time_to_target_s), seconds(row.epoch_s),
               or_dash(row.energy_to_target_j), or_dash(row.mean_w), number(row.ratio),
               provenance_name(row.provenance), row.file});
  return fmt::format("{}: {}\n{}\n", entry.entry.id, entry.entry.target_text(), table.str());
}

}  // namespace

std::string benchmark_text(const BenchmarkResult& result) {
  // The title of a simulated board says that it is one.
  std::string text =
      fmt::format("{}, version {}, on {}\n", result.benchmark, result.version, result.board.title);
  if (!result.mode.values.empty()) text += fmt::format("mode: {}\n", mode_text(result.mode));
  TextTable table({"entry", "target", "epochs", "to target", "epoch", "stall %", "mean W",
                   "energy to target J"});
  for (const EntryResult& entry : result.entries) {
    const auto needed = entry.epochs_to_target();
    table.add({entry.entry.id, entry.entry.target_text(),
               needed                  ? std::to_string(*needed)
               : entry.failure.empty() ? "not reached"
                                       : "not run",
               seconds(entry.time_to_target_s()), seconds(entry.epoch_s()), stall_text(entry),
               entry.power.total.empty() ? "-" : number(entry.power.mean_w),
               or_dash(entry.energy_to_target_j())});
  }
  text += "\n" + table.str();
  std::string gap;
  for (const EntryResult& entry : result.entries) {
    if (!entry.failure.empty()) text += fmt::format("{}: {}\n", entry.entry.id, entry.failure);
    if (!entry.power.gap.empty()) gap = entry.power.gap;
  }
  if (!gap.empty()) text += fmt::format("no power: {}\n", gap);
  return text;
}

std::string check_text(const CheckedResult& checked) {
  TextTable table({"rule", "entry", "", "found"});
  for (const AppliedRule& one : checked.rules)
    table.add({one.rule, or_dash(one.entry), holds_text(one.holds), one.why});
  const auto broken = std::ranges::count_if(
      checked.rules, [](const AppliedRule& one) { return one.holds == false; });
  return fmt::format(
      "{}: {}\n\n{}\n{}\n", checked.read.file, checked.read.result.board.title, table.str(),
      broken == 0 ? "it keeps the rules"
                  : fmt::format("{} of {} rules broken", broken, checked.rules.size()));
}

std::string ranking_text(const Ranking& ranking) {
  std::string text;
  for (const RankedEntry& entry : ranking.entries) text += rows_text(entry, ranking.by);
  if (ranking.overall.size() > 1) {
    TextTable table({"", "board", ranking.by == RankedBy::time ? "× time" : "× energy", "file"});
    for (const RankedBoard& board : ranking.overall)
      table.add({fmt::format("{}.", board.rank), board.board, number(board.ratio), board.file});
    text += fmt::format("over {} (geometric mean)\n{}\n", join(ranking.shared, ", "), table.str());
  }
  const bool simulated = std::ranges::any_of(ranking.entries, [](const RankedEntry& entry) {
    return std::ranges::any_of(entry.rows, [](const RankedRow& row) { return !row.rank; });
  });
  if (simulated) text += "simulated boards stand there without a rank\n";
  for (const LeftOut& one : ranking.left_out)
    text += fmt::format("left out: {}{}: {}\n", one.file, one.entry.empty() ? "" : ", " + one.entry,
                        one.why);
  return text;
}

}  // namespace flyball::cli
