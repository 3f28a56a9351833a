// What a campaign would take, said before it begins: each question is asked with --dry-run, on this
// machine or of a simulated board.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/status.h"
#include "campaign/cell_state.h"

namespace flyball {

/// A sum over cells of which some are not known.
struct AheadSum {
  double known = 0;    ///< of those that are known
  size_t unknown = 0;  ///< cells of which it is not
  void add(const std::optional<double>& each, size_t cells);
};

/// Cells of one question, workload and budget on boards of one kind.
struct AheadGroup {
  std::string kind, workload, question, budget;
  size_t cells = 0;                               ///< that have no answer yet
  bool follow = false;                            ///< they start from what another board measured
  std::optional<double> trials, seconds, joules;  ///< of each cell, at most
  std::string trials_known, seconds_known, joules_known;  ///< how, or why not
};

struct CampaignAhead {
  size_t cells = 0, done = 0;
  std::vector<AheadGroup> groups;
  AheadSum trials, seconds, joules;
};

struct AheadOptions {
  std::filesystem::path program;
  std::string store;  ///< of earlier trials that tell what one takes; "": the default one
};

/// Errors: a command line that its question refuses, in the question's words.
Result<CampaignAhead> look_ahead(const Campaign& campaign, const std::vector<CampaignCell>& cells,
                                 const CampaignFolder& folder, const AheadOptions& options);
Json to_json(const CampaignAhead& ahead, const Campaign& campaign);

}  // namespace flyball
