// Fetches and pre-processes minibatches, inline or ahead of the training step.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "data/batch_source.h"
#include "data/collate.h"
#include "data/dataset.h"
#include "data/loader/sample_cache.h"
#include "space/axis.h"

namespace flyball {

/// What a sample that cannot be read does to the epoch.
enum class OnBadSample {
  fail,  ///< next() returns the error, which names file and reason
  skip,  ///< the sample is left out of its minibatch, counted and listed
};

/// The settings of PyTorch's DataLoader, with the same meaning.
struct LoaderOptions {
  int64_t batch_size = usual_batch_size;
  int workers = 0;  ///< 0: inline in next(); else threads, each preparing whole minibatches
  int prefetch = usual_prefetch;  ///< minibatches that each worker may be ahead
  bool shuffle = true;
  bool drop_last = false;
  uint64_t seed = 0;
  OnBadSample on_bad_sample = OnBadSample::fail;
  /// Where minibatches live, e.g. pinned memory; empty: ordinary memory. Called once per buffer,
  /// before the first epoch.
  BatchAllocator allocate = {};
  /// All samples of the set in the order of an epoch, for sets whose samples follow each other
  /// (text read in parallel strands, say). Empty: sample_order(). Throws std::logic_error in
  /// start_epoch() when they are not as many as the set has.
  std::function<std::vector<int64_t>(int64_t epoch)> order = {};
  /// Samples are taken from here where it has them, and kept here once they are read; of the same
  /// set. Null: all are read each time. Minibatches are the same bit for bit.
  std::shared_ptr<SampleCache> cache = {};
};

/// A sample that was left out.
struct BadSample {
  int64_t index = 0;
  Error error;
};

/// Delivers the minibatches of one epoch after the other, always in the order that (seed, epoch)
/// determine; what is random about a sample depends on (seed, epoch, sample) only. Neither depends
/// on the workers. Holds workers × prefetch + 1 minibatches of memory, allocated at the start.
/// Worker threads inherit the CPU affinity of the thread that calls create(). One thread uses it.
class Loader final : public BatchSource {
 public:
  /// Errors: settings out of range, out of memory.
  static Result<std::unique_ptr<Loader>> create(DatasetPtr dataset, CollatePtr collate,
                                                LoaderOptions options);
  /// Stops the workers, in the middle of a minibatch if need be.
  ~Loader() override;

  /// Whether or not the last epoch was finished.
  void start_epoch(int64_t epoch) override;
  void resume_epoch(int64_t epoch, int64_t position) override;
  int64_t position() const override;
  /// After an error the epoch has ended; start_epoch() begins another. An epoch of which every
  /// sample had to be skipped is an error, too. Memory that runs out is one, whatever the policy.
  Result<std::optional<LoadedBatch>> next() override;
  void end_epoch() override;

  /// Minibatches per epoch (one less may come when all samples of one are skipped).
  int64_t batches() const;
  /// Samples per epoch.
  int64_t samples() const;
  const LoaderOptions& options() const;
  /// Bytes of all minibatch buffers.
  size_t buffer_bytes() const;
  /// Number of samples left out since the start, and the first 1000 of them, each sample once.
  int64_t skipped() const;
  std::vector<BadSample> bad_samples() const;

 private:
  class Impl;
  explicit Loader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The order of `count` samples in an epoch; 0, 1, 2, … without shuffling.
std::vector<int64_t> sample_order(int64_t count, uint64_t seed, int64_t epoch, bool shuffle);

}  // namespace flyball
