// How samples become the tensors of a minibatch. Each workload brings its own.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "data/batch_buffer.h"
#include "data/dataset.h"

namespace flyball {

/// What one thread needs to collate: buffers that grow to the largest sample and stay.
class CollateScratch {
 public:
  virtual ~CollateScratch() = default;
};

/// Decodes, augments and tokenises samples into the pooled memory of a batch, without a copy in
/// between. Has no state: one serves all threads.
class Collate {
 public:
  virtual ~Collate() = default;
  /// The tensors of a minibatch, each with its largest row. The first is what the network mainly
  /// takes; its shape is what the network is made for.
  virtual std::vector<TensorSpec> layout() const = 0;
  /// For each thread, once; null where nothing is needed.
  virtual std::unique_ptr<CollateScratch> scratch() const { return nullptr; }
  /// Writes one sample: batch.row() or append(), for every tensor. The caller commits it, or
  /// discards it after an error. What is random depends on `seed` only. Errors need not name the
  /// sample: the caller knows it.
  virtual Status add(const RawSample& sample, uint64_t seed, CollateScratch* scratch,
                     BatchBuffer& batch) const = 0;
  /// After the last sample of a minibatch: cuts padding, for instance.
  virtual Status finish([[maybe_unused]] BatchBuffer& batch) const { return {}; }
};

using CollatePtr = std::shared_ptr<const Collate>;

/// What a workload's collate is asked for.
struct CollateOptions {
  bool training = false;  ///< with augmentation
  int image_size = 0;     ///< side of the square that pictures become; 0: as usual
};

}  // namespace flyball
