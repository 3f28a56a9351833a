// A workload that trains or serves, one minibatch at a time, with where the time went.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "data/loader/loader.h"
#include "space/measurement.h"
#include "workload/stepper.h"

namespace flyball {

/// Loader and network together.
class MinibatchRun {
 public:
  MinibatchRun(std::unique_ptr<Loader> loader, std::unique_ptr<Stepper> stepper);

  /// Begins an epoch at its first minibatch; end-to-end time starts anew.
  void begin_epoch(int64_t epoch);
  /// Runs the next minibatch of the epoch, or nothing at its end. End-to-end time reaches from the
  /// end of the one before (or from begin_epoch()) to the end of this one.
  Result<std::optional<MinibatchTimes>> next_of_epoch();
  /// Runs one minibatch; epoch follows epoch without end, from epoch 0 on.
  Result<MinibatchTimes> next();
  /// Leaves the epoch early; afterwards no worker reads any more.
  void end_epoch() { loader_->end_epoch(); }

  int64_t epoch() const { return epoch_; }
  /// Loss of the last step; 0 for inference.
  double loss() const { return loss_; }
  /// The last minibatch: its samples, bytes, and the times of the thread that prepared it.
  const LoadedBatch& batch() const { return batch_; }
  /// When it ended, and when it began: monotonic times of its end-to-end time.
  int64_t end_ns() const { return last_ns_; }
  int64_t begin_ns() const { return begin_ns_; }
  const Loader& loader() const { return *loader_; }
  const Stepper& stepper() const { return *stepper_; }

 private:
  std::unique_ptr<Loader> loader_;
  std::unique_ptr<Stepper> stepper_;
  LoadedBatch batch_;
  int64_t epoch_ = -1;
  int64_t begin_ns_ = 0, last_ns_ = 0;
  double loss_ = 0;
};

/// Makes the network for the samples that the transform gives, and the loader for its minibatches,
/// in pinned memory where the network runs on CUDA. `step.batch_size` and `step.seed` hold for
/// both. Errors: those of make_stepper() and Loader::create().
Result<MinibatchRun> start_run(const std::string& workload, const DatasetPtr& dataset,
                               const Transform& transform, StepOptions step, LoaderOptions load);

}  // namespace flyball
