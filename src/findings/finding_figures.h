// The figures of runs by the names that studies use.
#pragma once

#include <string>
#include <vector>

#include "findings/run_source.h"
#include "space/estimate.h"

namespace flyball {

/// The mean over epochs, with its interval where there are several.
struct FigureOverEpochs {
  Estimate mean;
  size_t epochs = 0;  ///< 0: of the run, not of epochs
};

/// A figure over the epochs that it is told of. Errors: what RunSource::run() says; `unavailable`
/// for what the run does not tell.
class FindingRuns {
 public:
  explicit FindingRuns(std::vector<RunSource*> sources) : sources_(std::move(sources)) {}

  const std::vector<RunSource*>& sources() const { return sources_; }
  /// Null for a board that is not asked.
  RunSource* find(const std::string& board) const;
  Result<FigureOverEpochs> figure(const FindingSetting& setting, const std::string& name) const;

 private:
  Result<RunFigures> run(const FindingSetting& setting) const;

  std::vector<RunSource*> sources_;
};

}  // namespace flyball
