// What is known of the cells: files in the campaign's folder, each written in one step, so that
// whoever is killed, and whenever, leaves what can be gone on from.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "campaign/cells.h"

namespace flyball {

/// The folder of a campaign: beside its file, "NAME.campaign", unless another one is named.
class CampaignFolder {
 public:
  explicit CampaignFolder(std::filesystem::path path) : path_(std::move(path)) {}
  static CampaignFolder of(const Campaign& campaign, const std::string& named);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path cell(const CampaignCell& cell) const { return path_ / "cells" / cell.name; }
  std::filesystem::path store(const CampaignCell& cell) const;      ///< of its measurements
  std::filesystem::path answer(const CampaignCell& cell) const;     ///< what it answered, as JSON
  std::filesystem::path log(const CampaignCell& cell) const;        ///< what it said besides
  std::filesystem::path reference(const CampaignCell& cell) const;  ///< its measurements as a table
  std::filesystem::path lock() const;                               ///< who runs the campaign
  std::filesystem::path lock(const CampaignCell& cell) const;       ///< who runs it
  std::filesystem::path cancelled() const;  ///< is there while nothing may begin
  std::filesystem::path jobs() const;       ///< of Slurm
  std::filesystem::path executor() const;   ///< that the last run took

 private:
  std::filesystem::path path_;
};

/// How a cell ended, the last time.
struct CellResult {
  std::string command;                 ///< line that was run
  std::string asked;                   ///< what makes it that of the cell: cell_question()
  std::optional<std::string> machine;  ///< cell_machine(); none: written before it was kept
  std::string reference;               ///< digest of the table that it started from; "": of none
  int exit_code = 0;
  std::string begun_utc, ended_utc;
  std::string host;  ///< where it ran
  double seconds = 0;
  int attempts = 0;
  int heat_stops = 0;        ///< in the last of them
  std::string not_restored;  ///< why the board was not put back; "": it was, or is simulated
};

enum class CellState {
  missing,  ///< never begun, or its command or machine is another one now
  running,
  interrupted,  ///< begun, and nobody runs it any more
  failed,       ///< it ended without an answer
  done,         ///< it has an answer
};
const char* cell_state_name(CellState state);

struct CellStatus {
  CellState state = CellState::missing;
  std::optional<CellResult> last;
  std::string running_on;  ///< "process 12 (…) on HOST since …"
};

/// Exit codes of an answer: 0, and 1, which is the answer "no".
inline bool is_answer(int exit_code) {
  return exit_code == 0 || exit_code == 1;
}
CellPlaces cell_places(const Campaign& campaign, const std::vector<CampaignCell>& cells,
                       const CampaignCell& cell, const CampaignFolder& folder);
/// What boards know the campaign by: drawn when it is first asked for, and kept in its folder.
Result<std::string> campaign_id(const CampaignFolder& folder);
/// The whole line: run by hand, it goes on with the cell's store.
std::string cell_command(const Campaign& campaign, const std::vector<CampaignCell>& cells,
                         const CampaignCell& cell, const CampaignFolder& folder);
/// The command line by which a result is known to be that of the cell: without the campaign's
/// folder, which may be named in several ways, or moved.
std::string cell_question(const Campaign& campaign, const CampaignCell& cell);
/// The machine that the executor gives the cell: what another one answered is no answer of it. "":
/// whichever runs the campaign.
std::string cell_machine(const Campaign& campaign, const CampaignCell& cell);
/// What the last run took to start the cells; none: nothing ran yet.
std::optional<CampaignExecutor> executor_of_run(const CampaignFolder& folder);
Status keep_executor(const CampaignFolder& folder, CampaignExecutor executor);
/// Digest of what those that follow the cell start from; "": it is not there.
std::string reference_digest(const CampaignFolder& folder, const CampaignCell& leader);
/// Files that do not read count as missing, and so does what started from another reference than
/// its leader has now.
CellStatus cell_status(const Campaign& campaign, const std::vector<CampaignCell>& cells,
                       const CampaignCell& cell, const CampaignFolder& folder);
/// Why a cell failed or was interrupted: the last error of its log; "": that gives none.
std::string failure_reason(const CampaignFolder& folder, const CampaignCell& cell,
                           const CellStatus& status);
/// The answer of a cell that is done; null where it does not read.
Json cell_answer(const CampaignFolder& folder, const CampaignCell& cell);
/// No cell begins from now on, and those that run are asked to end, until the campaign is run
/// again.
Status mark_cancelled(const CampaignFolder& folder);
Status write_result(const CampaignFolder& folder, const CampaignCell& cell,
                    const CellResult& result);

}  // namespace flyball
