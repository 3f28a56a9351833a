#include "findings/asked_checks.h"

#include <algorithm>
#include <optional>

#include "base/distinct.h"

namespace flyball {
namespace {

bool is_one_of(const std::vector<RunSource*>& boards, const std::string& name) {
  return std::ranges::any_of(boards, [&](const RunSource* one) { return one->board() == name; });
}

/// Shares are told of any board, seconds and watts of their own alone.
bool is_share(const FindingCheck& check) {
  return check.figure.ends_with("_pct") && check.from.state.empty();
}

bool can_move(const PublishedStudy& study, const FindingCheck& check) {
  if (check.kind == FindingCheckKind::table) return true;
  if (check.kind != FindingCheckKind::change &&
      !(check.kind == FindingCheckKind::level && is_share(check)))
    return false;
  const auto usual = study.boards.find(check.from.board);
  if (usual == study.boards.end() || check.from.board != check.to.board) return false;
  const auto is_usual = [&](const FindingSetting& at) {
    return at.mode == usual->second.mode && at.storage == usual->second.storage;
  };
  return is_usual(check.from) && is_usual(check.to);
}

FindingCheck moved(FindingCheck check, const RunSource& board) {
  for (FindingSetting* at : {&check.from, &check.to}) {
    at->board = board.board();
    at->mode = board.usual_mode();
    at->storage.clear();
  }
  return check;
}

void move_checks(const PublishedStudy& study, const PublishedFinding& finding,
                 const RunSource& board, AskedChecks& asked) {
  const auto own = study.boards.find(board.board());
  if (finding.own_boards || (own != study.boards.end() && !own->second.moves)) return;
  const std::string first = finding.checks.front().from.board;
  for (const FindingCheck& check : finding.checks)
    if (check.from.board == first && can_move(study, check)) {
      asked.checks.push_back(moved(check, board));
      asked.transferred = true;
    }
}

}  // namespace

AskedChecks asked_checks(const PublishedStudy& study, const PublishedFinding& finding,
                         const std::vector<RunSource*>& boards) {
  AskedChecks asked;
  for (const FindingCheck& check : finding.checks) {
    std::vector<std::string> missing = check.asked_of();
    std::erase_if(missing, [&](const std::string& name) { return is_one_of(boards, name); });
    const bool some = check.kind == FindingCheckKind::fits;
    const bool asks = missing.empty() || (some && missing.size() < check.among.size());
    if (asks) asked.checks.push_back(check);
    if (!missing.empty()) {
      ++asked.elsewhere;
      for (const std::string& name : missing) add_distinct(asked.others, name);
    }
  }
  if (asked.checks.empty())
    for (const RunSource* board : boards) move_checks(study, finding, *board, asked);
  return asked;
}

std::vector<FindingSetting> settings_of(const FindingCheck& check) {
  std::vector<FindingSetting> settings;
  const auto add = [&](const FindingSetting& at) {
    add_distinct(settings, run_of(at));
    if (check.figure != "base_pct") return;
    FindingSetting rest = run_of(at);
    rest.state = state_at_rest;
    add_distinct(settings, rest);
  };
  if (check.kind == FindingCheckKind::fits || check.kind == FindingCheckKind::table) return {};
  if (check.modes.empty()) {
    add(check.from);
    add(check.to);
  }
  for (const char letter : check.modes) {
    FindingSetting at = check.from;
    at.mode = std::string(1, letter);
    add(at);
  }
  return settings;
}

Status check_askable(const FindingCheck& check, const std::vector<RunSource*>& boards) {
  const bool front = check.kind == FindingCheckKind::front;
  const std::vector<std::string> figures =
      front ? std::vector<std::string>{"e2e_s", "energy_mwh"} : std::vector{check.figure};
  for (const FindingSetting& setting : settings_of(check))
    for (RunSource* board : boards)
      for (const std::string& figure : figures)
        if (setting.board == board->board()) FLYBALL_CHECK(board->check(setting, figure));
  return {};
}

}  // namespace flyball
