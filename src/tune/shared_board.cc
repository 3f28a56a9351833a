#include "tune/shared_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "problem/known_batches.h"

namespace flyball {
namespace {

// One budget and one sum are of one power; who has none says so elsewhere.
Status check_one_total(const Workloads& workloads) {
  const ProfilerInfo* first = nullptr;
  const auto named = [](const ProfilerInfo& info) {
    return info.power_total.empty() ? "no named total" : "'" + info.power_total + "'";
  };
  for (const ProfilerInfo* own : workloads) {
    if (!own->power_gap.empty()) continue;
    if (!first) first = own;
    if (own->power_total != first->power_total)
      return Error{Code::invalid_argument,
                   fmt::format("the power of {} is of {}, that of {} of {}", first->workload,
                               named(*first), own->workload, named(*own)),
                   "workloads that share a board must be measured with one power total"};
  }
  return {};
}

/// Of a plan, whose inferences are served.
Status check_served_batches(const SharedBoard& board) {
  for (size_t i = 0; i < board.roles.size(); ++i)
    if (const ProfilerInfo& info = board.info(i); info.phase == Phase::infer)
      FLYBALL_CHECK(check_batches(
          fmt::format("{} {} on {}", info.workload, phase_name(info.phase), info.device),
          board.roles[i].profiler->space()));
  return {};
}

/// Modes of a role that another one does not have.
void note_left_out(const Candidates& linked, SharedBoard& board) {
  for (size_t role = 0; board.roles.size() > 1 && role < board.roles.size(); ++role) {
    const Space& own = board.roles[role].profiler->space();
    size_t all = 0;  // without rows that are there again
    for (size_t row = 0; row < own.size(); ++row) all += own.find(own.row(row)) == row;
    const size_t kept = linked.size(role);
    if (kept == all) continue;
    const bool same = board.info(0).workload == board.info(1).workload;
    const auto named = [&](const ProfilerInfo& info) {
      return same ? fmt::format("{} ({})", info.workload, phase_name(info.phase)) : info.workload;
    };
    board.left_out.push_back(
        fmt::format("{} of {} configurations of {} are left out: {} has none in their power modes",
                    all - kept, all, named(board.info(role)), named(board.info(1 - role))));
  }
}

Status link_roles(SharedBoard& board, LinkedModes modes) {
  const ProfilerInfo& first = board.info(0);
  for (const ProfilerInfo* own : board.workloads())
    FLYBALL_CHECK(check_one_board(first.workload, first.device, own->workload, own->device));
  FLYBALL_CHECK(check_one_total(board.workloads()));
  std::vector<Space> spaces;
  for (const MeasuredRole& role : board.roles) spaces.push_back(role.profiler->space());
  FLYBALL_ASSIGN(Candidates linked, Candidates::link(std::move(spaces), modes));
  note_left_out(linked, board);
  for (size_t i = 0; i < board.roles.size(); ++i) {
    const Space& own = board.roles[i].profiler->space();
    const Space& common = linked.space(i);
    for (size_t c = 0; c < common.size(); ++c) {
      // Linking may order the axes differently: look rows up by name.
      FLYBALL_ASSIGN(const auto row, own.to_row(common.settings(c)));
      board.roles[i].config.push_back(*own.find(row));
    }
  }
  board.candidates = std::make_shared<const Candidates>(std::move(linked));
  return {};
}

}  // namespace

Workloads SharedBoard::workloads() const {
  Workloads all;
  for (const MeasuredRole& role : roles) all.push_back(&role.profiler->info());
  return all;
}

bool SharedBoard::simulated() const {
  return std::ranges::all_of(workloads(), [](const ProfilerInfo* info) {
    return info->live && info->provenance == Provenance::simulated;
  });
}

std::vector<std::string> SharedBoard::gap_notes(const Problem& problem) const {
  std::vector<std::string> notes = left_out;
  for (const ProfilerInfo* info : workloads())
    for (const std::string& gap : info->gaps)
      if (std::ranges::find(notes, gap) == notes.end()) notes.push_back(gap);
  const std::string& remark = info(0).power_remark;
  if (problem.needs_power() && !remark.empty()) notes.push_back(remark);
  return notes;
}

Result<SharedBoard> share_board(std::vector<std::unique_ptr<Profiler>> profilers,
                                LinkedModes modes) {
  SharedBoard board;
  for (const auto& profiler : profilers) board.roles.push_back({profiler.get(), {}});
  board.profilers = std::move(profilers);
  FLYBALL_CHECK(check_served_batches(board));
  FLYBALL_CHECK(link_roles(board, modes));
  return board;
}

Result<SharedBoard> share_board(Profiler& profiler) {
  SharedBoard board;
  board.roles.push_back({&profiler, {}});
  FLYBALL_CHECK(link_roles(board, LinkedModes::common));
  return board;
}

}  // namespace flyball
