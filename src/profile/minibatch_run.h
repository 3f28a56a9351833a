// A workload that trains or serves, one minibatch at a time, with where the time went.
#pragma once

#include <memory>

#include "data/loader.h"
#include "space/measurement.h"
#include "workload/stepper.h"

namespace flyball {

/// Loader and network together. Epoch follows epoch without end.
class MinibatchRun {
 public:
  MinibatchRun(std::unique_ptr<Loader> loader, std::unique_ptr<Stepper> stepper);

  /// Runs one minibatch. End-to-end time reaches from the end of the one before (or from the start)
  /// to the end of this one.
  Result<MinibatchTimes> next();
  int64_t epoch() const { return epoch_; }
  /// Loss of the last step; 0 for inference.
  double loss() const { return loss_; }

 private:
  std::unique_ptr<Loader> loader_;
  std::unique_ptr<Stepper> stepper_;
  int64_t epoch_ = 0;
  int64_t last_ns_;
  double loss_ = 0;
};

}  // namespace flyball
