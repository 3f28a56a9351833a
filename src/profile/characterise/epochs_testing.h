// A run of epochs of which the times alone are known.
#pragma once

#include <vector>

#include "profile/characterise/epochs.h"

namespace flyball {

/// Epochs that took so many seconds, of ten minibatches each.
inline EpochRun run_of_epochs(const std::vector<double>& seconds) {
  EpochRun run;
  for (const double time : seconds) {
    EpochRecord& epoch = run.epochs.emplace_back();
    epoch.epoch = static_cast<int>(run.epochs.size()) - 1;
    epoch.e2e_s = time;
    epoch.minibatch_count = 10;
    epoch.minibatches.resize(1);
  }
  return run;
}

}  // namespace flyball
