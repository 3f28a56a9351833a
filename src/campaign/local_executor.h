// Cells as processes of this machine, so many at a time.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <vector>

#include "campaign/cell_state.h"

namespace flyball {

struct LocalRun {
  std::filesystem::path program;  ///< that runs a cell: `PROGRAM campaign cell FILE NAME`
  const std::atomic<bool>* cancelled = nullptr;
  /// How many cells have ended of how many that were missing, and which one ended last.
  std::function<void(size_t ended, size_t all, const std::string& name)> told{};
};

struct LocalSummary {
  size_t cells = 0, known = 0;          ///< all of them; those that had an answer before
  size_t done = 0, failed = 0;          ///< of the others
  size_t left = 0;                      ///< that were not begun or not ended: cancelled, or stopped
  std::vector<std::string> failures{};  ///< names of those that failed
};

/// Runs what has no answer yet. Of boards that are not simulated a machine (this one, or a host of
/// ssh) runs one cell at a time, with the campaign's cool-down between them; a cell that starts
/// from another one's measurements waits for it. Stops where this process is interrupted, or the
/// campaign cancelled: cells that run are asked to end, and keep what they have measured. Errors:
/// another process runs this campaign (conflict), files.
Result<LocalSummary> run_locally(const Campaign& campaign, const std::vector<CampaignCell>& cells,
                                 const CampaignFolder& folder, const LocalRun& run);

}  // namespace flyball
