// Epochs of a simulated board in the settings of a study.
#pragma once

#include <map>
#include <string>

#include "evaluate/findings/published_study.h"

namespace flyball {

/// Figures by name (finding_figures()), as far as the setting has them.
using FindingFigures = std::map<std::string, double>;

class FindingRuns {
 public:
  explicit FindingRuns(const PublishedStudy& study) : study_(study) {}

  /// Of one epoch, simulated at the first call with this setting. Errors: what the twin has not;
  /// Code::infeasible where it does not fit the memory.
  Result<FindingFigures> figures(const FindingSetting& setting);
  /// Has the board the memory to train it, at batch size 16 with four workers?
  static Result<bool> fits(const std::string& board, const std::string& workload);
  Result<double> figure(const FindingSetting& setting, const std::string& name);

 private:
  Result<FindingFigures> epoch(const FindingSetting& setting) const;
  Result<FindingFigures> idle(const FindingSetting& setting) const;

  const PublishedStudy& study_;
  std::map<FindingSetting, FindingFigures> known_;
};

}  // namespace flyball
