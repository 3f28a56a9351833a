// Where the minibatches of a trial or a training come from: the loader, a test. Live requests are
// put together by who serves them (schedule/live/network_jobs.cc).
#pragma once

#include <cstdint>
#include <optional>

#include "base/status.h"
#include "data/batch.h"

namespace flyball {

/// One minibatch and where its time went.
struct LoadedBatch {
  BatchView view;
  double stall_s = 0;       ///< how long next() kept its caller waiting
  double fetch_s = 0;       ///< reading bytes, summed over the samples, on the thread that did it
  double preprocess_s = 0;  ///< decoding, augmenting and normalising, likewise
  int64_t bytes = 0;        ///< of its samples as stored
  int64_t cache_bytes = 0;  ///< of them, from the sample cache; the rest was read from files
  int64_t begin_ns = 0;     ///< monotonic: when its preparation began
  int64_t ready_ns = 0;     ///< and when it was ready
  int worker = -1;          ///< who prepared it, from 0; −1: inline
};

/// One thread uses it.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  /// The next minibatch, or nothing at the end (of an epoch, where there are epochs). Its
  /// view is valid until the next call on this source.
  virtual Result<std::optional<LoadedBatch>> next() = 0;
  /// Begins an epoch at its first minibatch. Sources without epochs go on where they are.
  virtual void start_epoch([[maybe_unused]] int64_t epoch) {}
  /// Goes on in an epoch where so many of its minibatches have gone by (position()).
  virtual void resume_epoch(int64_t epoch, [[maybe_unused]] int64_t position) {
    start_epoch(epoch);
  }
  /// Minibatches of the epoch that have gone by, those included of which nothing could be read.
  virtual int64_t position() const { return 0; }
  /// Ends the epoch early; afterwards nobody reads ahead any more.
  virtual void end_epoch() {}
};

}  // namespace flyball
