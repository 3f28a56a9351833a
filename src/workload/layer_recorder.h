// Looks on at one step and notes each operator with what it takes and gives. Inside the module
// only.
#pragma once

#include <memory>
#include <vector>

#include "cost/operation.h"
#include "workload/network.h"

namespace flyball {

/// Looks on from its making until take(). One at a time in a process.
class LayerRecorder {
 public:
  /// `weights`: the parameters by name; an operator is named after the first that it takes, one
  /// without any after the last before it, and one of the backward pass after its forward. In
  /// training those that are not trained name operators and count nothing.
  LayerRecorder(const std::vector<NamedTensor>& weights, bool training);
  ~LayerRecorder();
  LayerRecorder(const LayerRecorder&) = delete;
  LayerRecorder& operator=(const LayerRecorder&) = delete;

  /// What ran, in order.
  Graph take();

 private:
  class Notes;
  std::unique_ptr<Notes> notes_;
  uint64_t handle_ = 0;
};

}  // namespace flyball
