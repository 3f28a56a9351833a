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

/// How much of a sample a network sees; 0: as much as usual.
struct SampleSize {
  int64_t tokens = 0;  ///< of a row of text (data/text/question_set.h)
  int image_size = 0;  ///< side of the square that a JPEG picture becomes
};

/// Opens what the workload is to read: the folder, or the drawn tensors. Errors: no such set, one
/// of another kind than the workload reads, a size that its samples cannot have.
Result<RunData> open_run_data(const std::string& workload, const std::filesystem::path& folder,
                              const SampleSize& size, const ScriptRequest& script, bool training);

}  // namespace flyball
