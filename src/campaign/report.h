// The answers of a campaign, cell by cell, and how much boards of one kind differ.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "campaign/cell_state.h"

namespace flyball {

/// What a cell answered. Figures are those of the chosen configuration, where the question has one.
struct CellAnswer {
  std::string cell, board, kind, workload, question, budget, state;
  std::optional<int> exit_code;
  std::optional<double> trials;  ///< that were made, with those of earlier runs
  std::string config;            ///< "cpu_mhz 1510.4, gpu_mhz 624.75"
  std::optional<double> minibatch_ms, power_w, minibatch_j;
  std::string provenance;  ///< "": there is no choice
  std::string text;        ///< the answer in a sentence, or why there is none
};

/// A board that differs from the others of its kind.
struct Outlier {
  std::string board;
  double time_pct = 0, energy_pct = 0;  ///< above the middle board, in the median configuration
};

/// Boards of one kind that were asked the same.
struct KindSpread {
  std::string kind, workload, question, budget;
  size_t boards = 0;
  size_t configurations = 0;  ///< that more than one of them measured
  /// Coefficient of variation between boards: standard deviation / mean, its median over
  /// configurations.
  std::optional<double> time_cv, energy_cv;
  std::vector<Outlier> outliers;  ///< of five boards or more
  std::string provenance;         ///< of these measurements: "measured", "simulated", "mixed"
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
