// What a workload reads: a data set, or random numbers for a script that comes without one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "data/collate.h"
#include "data/dataset.h"
#include "data/makers/drawn_inputs.h"
#include "space/conditions.h"
#include "workload/stepper.h"

namespace flyball {

/// What only a script is told (StepOptions, drawn_inputs.h).
struct ScriptRequest {
  std::vector<DrawnTensor> drawn;   ///< all its tensors, where there is no data set
  std::vector<std::string> inputs;  ///< those that its forward takes, in order; empty: by its names
  std::filesystem::path loss;       ///< empty: cross-entropy

  /// Passes on what a step is told of it.
  void tell(StepOptions& step) const;
  /// What of it decides how fast a trial is; empty for the networks that Flyball brings along.
  Conditions conditions() const;
};

struct RunData {
  DatasetPtr dataset;
  CollatePtr collate;
};

/// Opens what the workload is to read: the folder, in rows of `tokens` where it is text (0: as it
/// is), or the drawn tensors. Errors: no such set, one of another kind than the workload reads.
Result<RunData> open_run_data(const std::string& workload, const std::filesystem::path& folder,
                              int64_t tokens, const ScriptRequest& script, bool training);

}  // namespace flyball
