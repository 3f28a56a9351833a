// The answers of a campaign, cell by cell, and how much boards of one kind differ.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "campaign/cell_state.h"
#include "space/like_boards.h"

namespace flyball {

/// What a cell answered. Figures are those of the chosen configuration, where the question has one.
struct CellAnswer {
  std::string cell, board, kind, workload, question, budget, state;
  std::optional<int> exit_code;
  std::string outcome;           ///< the state, or which answer "no" is
  std::optional<double> trials;  ///< that were made, with those of earlier runs
  std::string config;            ///< "cpu_mhz 1510.4, gpu_mhz 624.75"
  std::optional<double> minibatch_ms, power_w, minibatch_j;
  std::string provenance;  ///< "": there is no choice
  std::string text;        ///< the answer in a sentence, or why there is none
};

/// Boards of one kind that were asked the same.
struct KindSpread : BoardsSpread {
  std::string kind{}, workload{}, question{}, budget{};
  std::string provenance{};  ///< of these measurements: "measured", "simulated", "mixed"
};

struct CampaignReport {
  std::vector<CellAnswer> answers;
  std::vector<KindSpread> spread;
};

/// Reads the answers of all cells that are done.
CampaignReport campaign_report(const Campaign& campaign, const std::vector<CampaignCell>& cells,
                               const CampaignFolder& folder);
Json to_json(const CampaignReport& report, const Campaign& campaign);
/// A line of titles, and one for each cell.
std::string report_csv(const CampaignReport& report);

}  // namespace flyball
