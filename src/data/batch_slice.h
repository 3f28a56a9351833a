// A part of a minibatch as a minibatch of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "data/batch.h"

namespace flyball {

/// Shows some samples of a batch, over its memory; offsets of packed tensors begin at 0 again.
class BatchSlice {
 public:
  /// Samples `first` to `first + count`. The batch must be sound (check_tensor()) and stay; valid
  /// until the next call.
  BatchView take(const BatchView& batch, int64_t first, int64_t count);

 private:
  std::vector<TensorView> tensors_;
  std::vector<std::vector<int64_t>> offsets_;
};

}  // namespace flyball
