#include "cli/text/collected_fleet_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/amounts.h"
#include "base/csv.h"
#include "base/figure.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/output.h"
#include "cli/text/campaign_text.h"

namespace flyball::cli {
namespace {

constexpr size_t most_listed_boards = 40;

std::string share_percent(const std::optional<double>& share) {
  return or_dash(share, 2, 100);
}

std::string percent_of(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:+.1f}", 100 * (*ratio - 1)) : "-";
}

std::string board_state(const CollectedBoard& board) {
  std::vector<std::string> words;
  if (board.stale) words.push_back("stale");
  if (board.outlier) words.push_back("outlier");
  return words.empty() ? "ok" : join(words, ", ");
}

std::string settings_words(const Settings& settings) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : settings) parts.push_back(name + " " + format_number(value));
  return join(parts, ", ");
}

std::string mode_objective(const CollectedMode& mode) {
  if (mode.objective == "energy") return "least energy";
  return mode.budget_w ? fmt::format("fastest within {} W", format_number(*mode.budget_w))
                       : "fastest";
}

// Those that somebody should look at come first.
std::vector<const CollectedBoard*> by_urgency(const CollectedFleet& fleet) {
  std::vector<const CollectedBoard*> boards;
  for (const CollectedBoard& board : fleet.boards) boards.push_back(&board);
  std::ranges::stable_sort(boards, std::ranges::greater(), [](const CollectedBoard* board) {
    return 2 * board->stale + board->outlier;
  });
  return boards;
}

std::string shown_boards_text(const CollectedFleet& fleet) {
  TextTable table({"board", "kind", "state", "last seen", "runs", "unfinished", "measurements",
                   "failed", "throttled", "disturbed", "time %", "power %"});
  std::vector<const CollectedBoard*> boards = by_urgency(fleet);
  const size_t left_out = boards.size() - std::min(boards.size(), most_listed_boards);
  boards.resize(boards.size() - left_out);
  for (const CollectedBoard* board : boards) {
    const auto count = [](size_t n) { return fmt::format("{}", n); };
    table.add({board->name, join(board->kinds, ", "), board_state(*board),
               board->last_seen_utc.empty() ? "never" : board->last_seen_utc, count(board->runs),
               count(board->unfinished), count(board->measurements), count(board->failed),
               count(board->throttled), count(board->disturbed), percent_of(board->time_ratio),
               percent_of(board->power_ratio)});
  }
  std::string text = table.str();
  if (left_out > 0)
    text += fmt::format(
        "and {} more boards that are neither stale nor outliers, or behind them "
        "(--json, --csv, --report)\n",
        left_out);
  return text + "time %, power %: mean difference to all boards of the kind, over equal trials\n";
}

std::string outliers_text(const CollectedFleet& fleet) {
  std::string text;
  size_t left_out = 0, listed = 0;
  for (const CollectedSpread& spread : fleet.spread)
    for (const NamedFarBoard& one : spread.outliers) {
      if (listed == most_listed_boards) {
        ++left_out;
        continue;
      }
      ++listed;
      text += outlier_text(one.board, spread.workload + " " + spread.phase, one.time_pct,
                           one.energy_pct);
    }
  return left_out == 0 ? text
                       : text + fmt::format("and {} more (--json, --csv, --report)\n", left_out);
}

std::string board_spread_text(const CollectedFleet& fleet) {
  if (fleet.spread.empty()) return "spread: no trial was measured on two boards of one kind\n";
  TextTable table({"kind", "workload", "phase", "known", "boards", "trials", "time CV %", "at most",
                   "energy CV %", "at most"});
  for (const CollectedSpread& one : fleet.spread)
    table.add({one.kind, one.workload, one.phase, one.provenance, fmt::format("{}", one.boards),
               fmt::format("{}", one.configurations), share_percent(one.time_cv),
               share_percent(one.max_time_cv), share_percent(one.energy_cv),
               share_percent(one.max_energy_cv)});
  return "spread between boards of one kind and software\n" + table.str() + outliers_text(fleet);
}

std::string not_counted_text(const CollectedFleet& fleet) {
  std::vector<std::string> parts;
  if (fleet.whole_runs > 0)
    parts.push_back(fmt::format("{} of whole runs of programs", fleet.whole_runs));
  if (fleet.other_conditions > 0)
    parts.push_back(fmt::format("{} under other conditions than the latest of their board",
                                fleet.other_conditions));
  return parts.empty() ? ""
                       : fmt::format("measurements that neither spread nor best modes count: {}\n",
                                     join(parts, "; "));
}

std::string best_modes_text(const CollectedFleet& fleet) {
  if (fleet.best.empty()) return "best modes: no trial is known\n";
  TextTable table({"kind", "workload", "phase", "known", "of", "mode", "settings", "minibatch ms",
                   "power W", "total", "epoch s", "epoch J", "boards"});
  for (const CollectedMode& mode : fleet.best)
    table.add({mode.kind, mode.workload, mode.phase, mode.provenance, mode_objective(mode),
               settings_words(mode.mode), settings_words(mode.settings), number(mode.minibatch_ms),
               or_dash(mode.power_w, 4), or_dash(mode.power_total), or_dash(mode.epoch_s, 4),
               or_dash(mode.epoch_j, 4), fmt::format("{}", mode.boards)});
  std::string text = "best modes that were tried\n" + table.str();
  for (const double budget_w : fleet.question.budgets_w)
    if (std::ranges::none_of(fleet.best, [&](const auto& m) { return m.budget_w == budget_w; }))
      text += fmt::format("no mode that was tried keeps {} W\n", format_number(budget_w));
  return text;
}

std::string software_text(const CollectedFleet& fleet) {
  TextTable table({"kind", "software", "boards", "measurements"});
  for (const CollectedSoftware& one : fleet.software)
    table.add({one.kind, one.fingerprint, fmt::format("{}", one.boards),
               fmt::format("{}", one.measurements)});
  return table.empty() ? "" : "software\n" + table.str();
}

std::string csv_cell(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? format_number(*value) : "";
}

std::string csv_count(size_t value) {
  return fmt::format("{}", value);
}

std::string boards_csv(const CollectedFleet& fleet) {
  std::string text =
      csv_line({"board", "store", "kinds", "flyball", "last_seen_utc", "collected_utc", "age_s",
                "stale", "outlier", "runs", "unfinished_runs", "measurements", "failed",
                "throttled", "disturbed", "compared_trials", "time_ratio", "power_ratio"});
  for (const CollectedBoard& board : fleet.boards)
    text += csv_line({board.name, board.store, join(board.kinds, ";"), board.flyball,
                      board.last_seen_utc, board.collected_utc, csv_cell(board.age_s),
                      board.stale ? "1" : "0", board.outlier ? "1" : "0", csv_count(board.runs),
                      csv_count(board.unfinished), csv_count(board.measurements),
                      csv_count(board.failed), csv_count(board.throttled),
                      csv_count(board.disturbed), csv_count(board.compared_trials),
                      csv_cell(board.time_ratio), csv_cell(board.power_ratio)});
  return text;
}

std::string best_csv(const CollectedFleet& fleet) {
  std::string text =
      csv_line({"kind", "workload", "phase", "provenance", "power_total", "objective", "budget_w",
                "mode", "settings", "boards", "measurements", "minibatch_ms", "power_w", "sample_j",
                "epoch_s", "epoch_j"});
  for (const CollectedMode& mode : fleet.best)
    text +=
        csv_line({mode.kind, mode.workload, mode.phase, mode.provenance, mode.power_total,
                  mode.objective, csv_cell(mode.budget_w), settings_words(mode.mode),
                  settings_words(mode.settings), csv_count(mode.boards),
                  csv_count(mode.measurements), csv_cell(mode.minibatch_ms), csv_cell(mode.power_w),
                  csv_cell(mode.sample_j), csv_cell(mode.epoch_s), csv_cell(mode.epoch_j)});
  return text;
}

std::string spread_csv(const CollectedFleet& fleet) {
  std::string text = csv_line({"kind", "workload", "phase", "provenance", "boards", "trials",
                               "time_cv", "max_time_cv", "energy_cv", "max_energy_cv", "outliers"});
  for (const CollectedSpread& one : fleet.spread) {
    std::vector<std::string> outliers;
    for (const NamedFarBoard& outlier : one.outliers) outliers.push_back(outlier.board);
    text +=
        csv_line({one.kind, one.workload, one.phase, one.provenance, csv_count(one.boards),
                  csv_count(one.configurations), csv_cell(one.time_cv), csv_cell(one.max_time_cv),
                  csv_cell(one.energy_cv), csv_cell(one.max_energy_cv), join(outliers, ";")});
  }
  return text;
}

std::string software_csv(const CollectedFleet& fleet) {
  std::string text = csv_line({"kind", "fingerprint", "boards", "measurements"});
  for (const CollectedSoftware& one : fleet.software)
    text +=
        csv_line({one.kind, one.fingerprint, csv_count(one.boards), csv_count(one.measurements)});
  return text;
}

}  // namespace

std::string collected_fleet_text(const CollectedFleet& fleet) {
  const auto of = [](size_t n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  if (fleet.boards.empty())
    return fmt::format("no boards in {}: `flyball collect STORE… --into` it\n", fleet.store);
  return fmt::format(
      "{} in {}: {}, {}; {} stale, {}\n\n{}\n{}\n{}{}\n{}", of(fleet.boards.size(), "board"),
      fleet.store, of(fleet.runs, "run"), of(fleet.measurements, "measurement"), fleet.stale(),
      of(fleet.outliers(), "outlier"), shown_boards_text(fleet), board_spread_text(fleet),
      best_modes_text(fleet), not_counted_text(fleet), software_text(fleet));
}

Status write_fleet_tables(const CollectedFleet& fleet, const std::string& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) return file_error("make the folder", folder, problem.value());
  const std::filesystem::path place = folder;
  FLYBALL_CHECK(write_file(place / "boards.csv", boards_csv(fleet)));
  FLYBALL_CHECK(write_file(place / "best.csv", best_csv(fleet)));
  FLYBALL_CHECK(write_file(place / "spread.csv", spread_csv(fleet)));
  return write_file(place / "software.csv", software_csv(fleet));
}

}  // namespace flyball::cli
