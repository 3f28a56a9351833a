// How far a campaign is.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "campaign/cell_state.h"

namespace flyball {

struct CampaignStatus {
  std::string folder;
  bool cancelled = false;
  std::vector<CampaignCell> cells;
  std::vector<CellStatus> states;            ///< of each cell
  std::vector<std::string> reasons;          ///< of each cell: failure_reason()
  std::map<std::string, std::string> queue;  ///< what Slurm says of a cell, by its name
  std::vector<std::string> notes;            ///< what could not be found out, and what went wrong

  size_t count(CellState state) const;
  /// "running", or, of a cell that Slurm has, "queued".
  std::string state_of(size_t cell) const;
};

/// Asks Slurm where the campaign was submitted to it; a queue that does not answer is a note.
CampaignStatus campaign_status(const Campaign& campaign, const std::vector<CampaignCell>& cells,
                               const CampaignFolder& folder);
/// The keys of docs/json.md, without `schema`.
Json to_json(const CampaignStatus& status, const Campaign& campaign);

}  // namespace flyball
