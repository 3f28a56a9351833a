// Which checks of a finding are asked of which boards.
#pragma once

#include <vector>

#include "findings/run_source.h"

namespace flyball {

struct AskedChecks {
  std::vector<FindingCheck> checks;
  bool transferred = false;           ///< from another board to one that the study does not have
  size_t elsewhere = 0;               ///< checks of boards that are not asked
  std::vector<std::string> others{};  ///< these boards
};

/// Checks of the boards that are asked. A board that the study hardly asked, or not at all, is
/// asked what the study asked of the finding's first board, in its own usual mode and where its
/// data lie; what names modes or storages of that board, or a level in watts, cannot be moved.
AskedChecks asked_checks(const PublishedStudy& study, const PublishedFinding& finding,
                         const std::vector<RunSource*>& boards);
/// The settings of the runs that a check reads: two of a change, all modes of a front; of what fits
/// none.
std::vector<FindingSetting> settings_of(const FindingCheck& check);
/// Error: a board that it is asked of cannot have one of these runs, or its figure. Nothing needs
/// to be run for such a check.
Status check_askable(const FindingCheck& check, const std::vector<RunSource*>& boards);

}  // namespace flyball
