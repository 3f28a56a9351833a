#include "findings/check_words.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/text.h"

namespace flyball {
namespace {

/// What differs between the two settings of a check: "workers 0 → 1".
std::string difference(const FindingSetting& from, const FindingSetting& to) {
  std::vector<std::string> parts;
  const auto add = [&](const char* name, const auto& a, const auto& b) {
    if (a != b) parts.push_back(fmt::format("{} {} → {}", name, a, b));
  };
  const bool same_board = from.board == to.board;
  add("board", from.board, to.board);
  if (same_board) add("mode", from.mode, to.mode);
  if (same_board) add("storage", from.storage, to.storage);
  add("workers", from.workers, to.workers);
  add("batch", from.batch, to.batch);
  if (from.first != to.first) parts.emplace_back("first epoch → later");
  if (to.dropped) parts.emplace_back("cache kept → dropped");
  if (to.governors) parts.emplace_back("clocks pinned → free");
  return join(parts, ", ");
}

std::string place(const FindingCheck& check) {
  std::string text = check.from.workload;
  if (!check.from.board.empty() && check.from.board == check.to.board)
    text += (text.empty() ? "" : " on ") + check.from.board;
  return text;
}

std::string details(const FindingSetting& at) {
  if (!at.state.empty()) return at.state;
  std::vector<std::string> parts;
  if (at.mode.size() == 1) parts.push_back("mode " + at.mode);
  if (at.workers != 4) parts.push_back(fmt::format("workers {:g}", at.workers));
  if (at.batch != 16) parts.push_back(fmt::format("batch {:g}", at.batch));
  if (at.first) parts.emplace_back("first epoch");
  if (at.governors) parts.emplace_back("clocks free");
  return join(parts, ", ");
}

/// What a figure of a table is under: ", 50 modes profiled, learning from resnet18".
std::string conditions(const TableQuestion& asked) {
  std::string text = asked.phase == Phase::infer ? ", inference" : "";
  if (asked.batch > 0) text += fmt::format(", batch {:g}", asked.batch);
  if (asked.profiled > 0)
    text += fmt::format(", {} modes profiled, learning from {}{}", asked.profiled, asked.reference,
                        asked.reference_board.empty() ? "" : " on " + asked.reference_board);
  else if (!asked.reference.empty())
    text += " and " + asked.reference;
  if (!asked.strategy.empty()) text += ", by " + asked.strategy;
  return text;
}

}  // namespace

std::string figure_unit(const std::string& figure) {
  static constexpr std::array<std::pair<const char*, const char*>, 6> units = {
      {{"_pct", "%"}, {"_mwh", "mWh"}, {"_mhz", "MHz"}, {"_ms", "ms"}, {"_s", "s"}, {"_w", "W"}}};
  for (const auto& [suffix, unit] : units)
    if (figure.ends_with(suffix)) return unit;
  return figure == "profiles" ? "profiles" : "";
}

std::string figure_words(const std::string& figure) {
  static const std::map<std::string, std::string> words = {
      {"stall_s", "stall"},
      {"compute_s", "computing"},
      {"e2e_s", "epoch"},
      {"stall_ms", "stall of a minibatch"},
      {"compute_ms", "computing of a minibatch"},
      {"stall_pct", "stall's share"},
      {"energy_mwh", "energy"},
      {"power_w", "power"},
      {"base_pct", "base load's share"},
      {"cached_pct", "set in the page cache"},
      {"gpu_pct", "GPU busy"},
      {"gpu_mhz", "GPU's clock"},
      {"cpu_below_pct", "CPU below 90 % of its clock"},
      {"plug_w", "power at the wall"},
      {"time_mape_pct", "error of predicted times"},
      {"power_mape_pct", "error of predicted powers"},
      {"profiles", "a search takes"},
      {"solved_pct", "problems solved"},
      {"excess_pct", "above the optimum"},
      {"saving_pct", "energy saved by the thriftiest mode"},
      {"near_saving_pct", "energy saved within 5 % of the time"},
      {"balance_pct", "modes where time-efficient is energy-efficient"}};
  const auto known = words.find(figure);
  return known == words.end() ? figure : known->second;
}

std::string check_name(const FindingCheck& check) {
  const std::string where = place(check);
  switch (check.kind) {
    case FindingCheckKind::front:
      return where + ": front by energy";
    case FindingCheckKind::range:
      return fmt::format("{}: {} over modes {}", where, figure_words(check.figure), check.modes);
    case FindingCheckKind::fits:
      return where + ": trains on";
    case FindingCheckKind::level: {
      const std::string at = details(check.from);
      return fmt::format("{}: {}{}{}", where, figure_words(check.figure), at.empty() ? "" : ", ",
                         at);
    }
    case FindingCheckKind::table:
      return fmt::format("{}: {}{}", where, figure_words(check.figure), conditions(check.table));
    case FindingCheckKind::change:
    case FindingCheckKind::between:
      break;
  }
  return fmt::format("{}: {}, {}", where, figure_words(check.figure),
                     difference(check.from, check.to));
}

std::string check_unit(const FindingCheck& check) {
  switch (check.kind) {
    case FindingCheckKind::change:
    case FindingCheckKind::range:
      return "%";
    case FindingCheckKind::between:
      return "×";
    case FindingCheckKind::level:
    case FindingCheckKind::table:
      return figure_unit(check.figure);
    case FindingCheckKind::front:
    case FindingCheckKind::fits:
      break;
  }
  return "";
}

}  // namespace flyball
