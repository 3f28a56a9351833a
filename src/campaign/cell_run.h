// One cell, run from its beginning to its end by the process that is called for it: the executors
// start nothing else.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "campaign/cell_state.h"

namespace flyball {

struct CellRunner {
  std::filesystem::path program;  ///< flyball itself
  const std::atomic<bool>* cancelled = nullptr;
  std::filesystem::path root = "/";  ///< of the sensors of temperatures
};

/// Runs the cell in the folder of the campaign's file, unless it has an answer, and keeps its
/// answer, its exit code and, for those that start from it, its table. A board is put back
/// afterwards (`flyball mode restore`). Signals that reach this process go to the command. The
/// returned exit code is the command's. Errors: somebody else runs it (conflict), the campaign is
/// cancelled (interrupted), what it starts from is missing, files that cannot be written.
Result<int> run_cell(const Campaign& campaign, const std::vector<CampaignCell>& cells,
                     const CampaignCell& cell, const CampaignFolder& folder,
                     const CellRunner& runner);

/// The temperature of the hottest place in °C; nothing where no sensor tells.
std::optional<double> hottest_celsius(const std::filesystem::path& root);
/// Waits until no place is hotter, for half an hour at most. Errors: it stays hotter (unavailable),
/// interrupted. Nothing is waited for where no sensor tells.
Status wait_until_cool(double below_c, const CellRunner& runner, double patience_s = 1800);

}  // namespace flyball
