// Every block of memory that LibTorch's allocator gives and takes back while a step runs. In the
// module only.
#pragma once

#include <c10/core/Allocator.h>
#include <c10/core/Device.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "cost/memory.h"

namespace flyball {

/// Where a stepper is. Making it is `making`, but for what the optimizer keeps.
enum class StepStage { making, optimizer_state, forward, backward, optimizer, end };

/// The steppers of this thread say where they are; nobody listens but a recording.
void tell_stage(StepStage stage);

/// While it is alive, what this thread (and the backward pass that it starts) allocates on one kind
/// of device is recorded. One at a time in a thread.
class MemoryRecording {
 public:
  explicit MemoryRecording(c10::DeviceType device);
  ~MemoryRecording();
  MemoryRecording(const MemoryRecording&) = delete;
  MemoryRecording& operator=(const MemoryRecording&) = delete;

  /// What is alive now was there before the step that is told of.
  void begin_step();
  /// The step from begin_step() on.
  StepMemory end_step(double batch_size);

  class Recorder;

 private:
  std::shared_ptr<Recorder> recorder_;
  c10::DebugInfoGuard guard_;
};

}  // namespace flyball
