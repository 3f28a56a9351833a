// A workload that trains or serves, one minibatch at a time, with where the time went.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "data/loader/loader.h"
#include "space/measurement.h"
#include "workload/stepper.h"

namespace flyball {

/// A network and where its minibatches come from.
class MinibatchRun {
 public:
  /// `facts`: what must be equal where a training goes on from a checkpoint.
  MinibatchRun(std::unique_ptr<BatchSource> source, std::unique_ptr<Stepper> stepper,
               std::map<std::string, std::string> facts = {});

  /// Begins an epoch at its first minibatch; end-to-end time starts anew.
  void begin_epoch(int64_t epoch);
  /// Goes on in the epoch of which so many minibatches have gone by: after resume().
  void resume_epoch();

  /// Keeps the training as it stands between two minibatches in a file (workload/checkpoint.h).
  Status save(const std::filesystem::path& file);
  /// Takes up such a training: weights, optimizer, random state, epoch and minibatch. Errors name
  /// the file: it is no checkpoint, or one of another training.
  Status resume(const std::filesystem::path& file);
  /// Runs the next minibatch of the epoch, or nothing at its end. End-to-end time reaches from the
  /// end of the one before (or from begin_epoch()) to the end of this one.
  Result<std::optional<MinibatchTimes>> next_of_epoch();
  /// Runs one minibatch; epoch follows epoch without end, from epoch 0 on.
  Result<MinibatchTimes> next();
  /// Leaves the epoch early; afterwards nobody reads ahead any more.
  void end_epoch() { source_->end_epoch(); }

  int64_t epoch() const { return epoch_; }
  /// Minibatches of the epoch that have gone by.
  int64_t position() const { return position_; }
  /// Loss of the last step; 0 for inference.
  double loss() const { return result_.loss; }
  /// Named outputs of the last step; valid until the next.
  const BatchView& outputs() const { return result_.outputs; }
  /// The last minibatch: its samples, bytes, and the times of the thread that prepared it.
  const LoadedBatch& batch() const { return batch_; }
  /// When it ended, and when it began: monotonic times of its end-to-end time.
  int64_t end_ns() const { return last_ns_; }
  int64_t begin_ns() const { return begin_ns_; }
  const Stepper& stepper() const { return *stepper_; }
  /// To ask between two epochs.
  Stepper& stepper() { return *stepper_; }

 private:
  std::unique_ptr<BatchSource> source_;
  std::unique_ptr<Stepper> stepper_;
  LoadedBatch batch_;
  StepResult result_;
  std::map<std::string, std::string> facts_;
  int64_t epoch_ = -1, position_ = 0;
  int64_t begin_ns_ = 0, last_ns_ = 0;
};

/// A run whose minibatches a loader brings.
struct LoadedRun {
  MinibatchRun run;
  const Loader* loader;  ///< the source of `run`
};

/// Makes the network for the samples that the collate gives, and the loader for its minibatches,
/// in pinned memory where the network runs on CUDA. `step.batch_size` and `step.seed` hold for
/// both. Errors: those of make_stepper() and Loader::create(); memory that runs out is one.
Result<LoadedRun> start_run(const std::string& workload, const DatasetPtr& dataset,
                            const CollatePtr& collate, StepOptions step, LoaderOptions load);

}  // namespace flyball
