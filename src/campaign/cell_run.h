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
  double heat_grace_s = 15;  ///< for a command that is stopped as the board is too hot
};

/// Runs the cell in the folder of the campaign's file, unless it has an answer, and keeps its
/// answer, its exit code and, for those that start from it, its table. A board that is not
/// simulated is cool before it begins; where it becomes too hot, the command is asked to end and
/// begun again once it has cooled down, with what it measured before. The board is put back
/// afterwards (`flyball mode restore`). Signals that reach this process go to the command. The
/// returned exit code is the command's. Errors: somebody else runs it (conflict), the campaign is
/// cancelled (interrupted), what it starts from is missing, the board does not cool down
/// (unavailable), files that cannot be written.
Result<int> run_cell(const Campaign& campaign, const std::vector<CampaignCell>& cells,
                     const CampaignCell& cell, const CampaignFolder& folder,
                     const CellRunner& runner);

/// So often a cell is stopped because of heat; then it is given up.
inline constexpr int most_heat_stops = 50;

}  // namespace flyball
