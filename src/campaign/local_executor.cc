#include "campaign/local_executor.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <deque>
#include <map>
#include <optional>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/files.h"
#include "base/os/guard.h"
#include "base/os/interrupt.h"
#include "base/os/lock_file.h"
#include "telemetry/process/spawn.h"

namespace flyball {
namespace {

constexpr double look_s = 0.02, end_grace_s = 25, look_elsewhere_s = 1;

class LocalExecutor {
 public:
  LocalExecutor(const Campaign& campaign, const std::vector<CampaignCell>& cells,
                const CampaignFolder& folder, const LocalRun& run)
      : campaign_(campaign),
        cells_(cells),
        folder_(folder),
        run_(run),
        environment_(own_environment()),
        machines_(campaign.boards.size()) {
    for (size_t i = 0; i < campaign.boards.size(); ++i)
      machines_[i] = machine_of(campaign.boards[i]);
  }

  Result<LocalSummary> all() {
    FLYBALL_CHECK(begin());
    const size_t missing = waiting_.size();
    while (!waiting_.empty() || !running_.empty()) {
      look_at_ends(missing);
      if (stopped()) break;
      if (const Status started = start_some(); !started.ok()) {
        end_all(missing);
        return started.error();
      }
      sleep_until_ns(monotonic_ns() + nanoseconds(look_s));
    }
    end_all(missing);
    summary_.left += waiting_.size();
    return summary_;
  }

 private:
  Status begin() {
    summary_.cells = cells_.size();
    state_.resize(cells_.size(), CellState::missing);
    std::vector<const CampaignCell*> leaders, others;
    for (const CampaignCell& cell : cells_) {
      if (cell_status(campaign_, cells_, cell, folder_).state == CellState::done) {
        state_[cell.index] = CellState::done;
        ++summary_.known;
      } else {
        (cell.leads ? leaders : others).push_back(&cell);
      }
    }
    waiting_.assign(leaders.begin(), leaders.end());
    waiting_.insert(waiting_.end(), others.begin(), others.end());
    Guard::start();
    return {};
  }

  bool stopped() const {
    std::error_code ignored;
    return is_interrupted(run_.cancelled) || std::filesystem::exists(folder_.cancelled(), ignored);
  }

  /// Boards of one machine are measured one after the other: beside each other neither is alone.
  std::string machine_of(const CampaignBoard& board) const {
    if (campaign_.executor != CampaignExecutor::ssh) return "";
    return board.host.substr(board.host.find('@') + 1);  // of npos: all of it
  }

  bool may_begin(const CampaignCell& cell) const {
    if (cell.leader && state_[*cell.leader] != CellState::done) return false;
    if (campaign_.boards[cell.board].simulated) return true;
    const auto busy = [&](const auto& one) {
      const size_t board = one.second->board;
      return !campaign_.boards[board].simulated && machines_[board] == machines_[cell.board];
    };
    const auto free_at = free_at_s_.find(machines_[cell.board]);
    return std::ranges::none_of(running_, busy) &&
           (free_at == free_at_s_.end() || monotonic_s() >= free_at->second);
  }

  Status start_some() {
    look_elsewhere();
    for (auto next = waiting_.begin(); next != waiting_.end();) {
      if (running_.size() >= campaign_.parallel) return {};
      const CampaignCell& cell = **next;
      if (cell.leader && state_[*cell.leader] == CellState::failed) {
        note_end(cell, CellState::failed);
        next = waiting_.erase(next);
      } else if (may_begin(cell)) {
        FLYBALL_CHECK(start(cell));
        next = waiting_.erase(next);
      } else {
        ++next;
      }
    }
    return {};
  }

  /// What became by now of leaders that another process has.
  void look_elsewhere() {
    if (monotonic_s() < look_again_at_s_) return;
    look_again_at_s_ = monotonic_s() + look_elsewhere_s;
    for (const CampaignCell& cell : cells_) {
      if (!cell.leads || state_[cell.index] != CellState::running) continue;
      const CellState now = cell_status(campaign_, cells_, cell, folder_).state;
      const bool known = now == CellState::done || now == CellState::running;
      state_[cell.index] = known ? now : CellState::failed;
    }
  }

  Status start(const CampaignCell& cell) {
    std::error_code problem;
    std::filesystem::create_directories(folder_.cell(cell), problem);
    if (problem) return file_error("make", folder_.cell(cell), problem.value());
    const std::filesystem::path log = folder_.log(cell);
    FLYBALL_ASSIGN(const Descriptor file, open_output(log));
    FLYBALL_ASSIGN(
        const pid_t pid,
        spawn_group(
            {run_.program.string(), "campaign", "cell", campaign_.file.string(), cell.name,
             "--executor", executor_name(campaign_.executor), "--out", folder_.path().string()},
            {.environment = environment_, .streams = Streams::all_into(file.get())}));
    running_.emplace(pid, &cell);
    return {};
  }

  void look_at_ends(size_t missing) {
    for (auto one = running_.begin(); one != running_.end();) {
      int status = 0;
      const pid_t ended = ::waitpid(one->first, &status, WNOHANG);
      if (ended == 0 || (ended < 0 && errno == EINTR)) {
        ++one;
        continue;
      }
      const CampaignCell& cell = *one->second;
      Guard::forget(one->first);
      one = running_.erase(one);
      if (!campaign_.boards[cell.board].simulated)
        free_at_s_[machines_[cell.board]] = monotonic_s() + campaign_.cool_down_s;
      const CellState state = cell_status(campaign_, cells_, cell, folder_).state;
      // Where another process has it by now, this one cannot say how it ends.
      const bool known = state == CellState::done || state == CellState::running;
      note_end(cell, known ? state : CellState::failed);
      if (run_.told) run_.told(summary_.done + summary_.failed, missing, cell.name);
    }
  }

  void note_end(const CampaignCell& cell, CellState state) {
    state_[cell.index] = state;
    if (state == CellState::done) {
      ++summary_.done;
    } else if (stopped() || state == CellState::running) {
      ++summary_.left;
    } else {
      ++summary_.failed;
      summary_.failures.push_back(cell.name);
    }
  }

  // Those that still run put their board back, which takes a moment.
  void end_all(size_t missing) {
    for (const auto& [pid, cell] : running_) ::kill(-pid, SIGTERM);
    const Stopwatch since;
    while (!running_.empty() && since.seconds() < end_grace_s) {
      look_at_ends(missing);
      sleep_until_ns(monotonic_ns() + nanoseconds(look_s));
    }
    for (const auto& [pid, cell] : running_) {
      ::kill(-pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
      Guard::forget(pid);
      ++summary_.left;
    }
    running_.clear();
  }

  const Campaign& campaign_;
  const std::vector<CampaignCell>& cells_;
  const CampaignFolder& folder_;
  const LocalRun& run_;
  std::vector<std::string> environment_;
  std::deque<const CampaignCell*> waiting_;
  std::map<pid_t, const CampaignCell*> running_;
  std::vector<CellState> state_;             ///< by cell
  std::vector<std::string> machines_;        ///< by board; "": this one
  std::map<std::string, double> free_at_s_;  ///< by machine, monotonic
  double look_again_at_s_ = 0;               ///< monotonic
  LocalSummary summary_;
};

}  // namespace

Result<LocalSummary> run_locally(const Campaign& campaign, const std::vector<CampaignCell>& cells,
                                 const CampaignFolder& folder, const LocalRun& run) {
  std::error_code problem;
  std::filesystem::create_directories(folder.path() / "cells", problem);
  if (problem) return file_error("make", folder.path(), problem.value());
  FLYBALL_ASSIGN(const LockFile ours,
                 LockFile::take(folder.lock(), "the campaign " + folder.path().string(), 1));
  std::filesystem::remove(folder.cancelled(), problem);
  FLYBALL_CHECK(keep_executor(folder, campaign.executor));
  return LocalExecutor(campaign, cells, folder, run).all();
}

}  // namespace flyball
