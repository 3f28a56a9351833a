#include "campaign/status.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "campaign/slurm.h"

namespace flyball {

namespace {

void note_state(const CampaignCell& cell, const CellStatus& status, const std::string& reason,
                std::vector<std::string>& notes) {
  if (!reason.empty())
    notes.push_back(fmt::format("{} {}: {}", cell.name, cell_state_name(status.state), reason));
  if (!status.last) return;
  if (status.last->heat_stops > 0)
    notes.push_back(fmt::format("{} was stopped {} times until its board had cooled down",
                                cell.name, status.last->heat_stops));
  if (!status.last->not_restored.empty())
    notes.push_back(
        fmt::format("the board of {} was not put back: {}", cell.name, status.last->not_restored));
}

}  // namespace

size_t CampaignStatus::count(CellState state) const {
  return static_cast<size_t>(std::ranges::count(states, state, &CellStatus::state));
}

std::string CampaignStatus::state_of(size_t cell) const {
  const CellState state = states[cell].state;
  const auto queued = queue.find(cells[cell].name);
  if (queued == queue.end() || state == CellState::done || state == CellState::running)
    return cell_state_name(state);
  return queued->second.starts_with("RUNNING") ? "running" : "queued";
}

CampaignStatus campaign_status(const Campaign& campaign, const std::vector<CampaignCell>& cells,
                               const CampaignFolder& folder) {
  CampaignStatus status;
  status.folder = folder.path().string();
  std::error_code ignored;
  status.cancelled = std::filesystem::exists(folder.cancelled(), ignored);
  status.cells = cells;
  for (const CampaignCell& cell : cells) {
    const CellStatus& state =
        status.states.emplace_back(cell_status(campaign, cells, cell, folder));
    status.reasons.push_back(failure_reason(folder, cell, state));
    note_state(cell, state, status.reasons.back(), status.notes);
  }
  const auto jobs = read_jobs(folder);
  if (!jobs) {
    status.notes.push_back(jobs.error().message);
  } else if (!jobs->arrays.empty()) {
    auto queue = queue_states(*jobs);
    if (queue)
      status.queue = *std::move(queue);
    else
      status.notes.push_back(queue.error().message);
  }
  return status;
}

Json to_json(const CampaignStatus& status, const Campaign& campaign) {
  Json cells = Json::array(), counts;
  for (const char* state : {"missing", "queued", "running", "interrupted", "failed", "done"})
    counts[state] = 0;
  for (size_t i = 0; i < status.cells.size(); ++i) {
    const CampaignCell& cell = status.cells[i];
    const std::optional<CellResult>& last = status.states[i].last;
    const std::string state = status.state_of(i);
    counts[state] = counts[state].get<size_t>() + 1;
    const auto queued = status.queue.find(cell.name);
    cells.push_back(
        {{"cell", cell.name},
         {"state", state},
         {"exit_code", last ? Json(last->exit_code) : Json(nullptr)},
         {"attempts", last ? Json(last->attempts) : Json(nullptr)},
         {"heat_stops", last ? Json(last->heat_stops) : Json(nullptr)},
         {"seconds", last ? Json(last->seconds) : Json(nullptr)},
         {"host", last ? Json(last->host) : Json(nullptr)},
         {"ended_utc", last ? Json(last->ended_utc) : Json(nullptr)},
         {"running_on", text_or_null(status.states[i].running_on)},
         {"reason", text_or_null(status.reasons[i])},
         {"queue", queued == status.queue.end() ? Json(nullptr) : Json(queued->second)}});
  }
  return {{"campaign", campaign.file.string()},
          {"folder", status.folder},
          {"executor", executor_name(campaign.executor)},
          {"cancelled", status.cancelled},
          {"counts", counts},
          {"cells", cells},
          {"notes", status.notes}};
}

}  // namespace flyball
