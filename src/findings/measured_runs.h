// Runs of this machine in the settings that findings ask for: measured, kept and taken up again as
// those of any experiment.
#pragma once

#include <memory>

#include "findings/run_source.h"

namespace flyball {

struct MeasuredRunsOptions {
  ExperimentOptions experiment;  ///< board, store, where sets are drawn, who is told what
  double scale = 1;              ///< of the published sets
};

/// What there is to run.
struct RunsAhead {
  std::string workload;
  size_t runs = 0, held = 0;  ///< in the store under the same conditions
};

class MeasuredRuns : public RunSource {
 public:
  /// The runs of these settings, workload by workload. Nothing is measured.
  virtual Result<std::vector<RunsAhead>> ahead(const std::vector<FindingSetting>& settings) = 0;
};

/// check() knows that there is no power where none can be read, and nothing of a GPU where none is.
/// make() says by ExperimentOptions::note how long the runs will take, after a few minibatches of
/// each workload, and runs what the store does not hold. Not run are: storages beside each other
/// and idle boards at the wall (experiments of their own), modes that this board lacks.
std::unique_ptr<MeasuredRuns> measured_runs(const PublishedStudy& study,
                                            const MeasuredRunsOptions& options);

}  // namespace flyball
