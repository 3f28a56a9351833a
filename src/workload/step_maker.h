// What the module gives this room: steps on LibTorch.
#pragma once

#include "cost/operation.h"
#include "workload/stepper.h"

namespace flyball {

/// The functions of stepper.h that need LibTorch, as they stand in the module.
class StepMaker {
 public:
  virtual Result<std::unique_ptr<Stepper>> make_stepper(const std::string& network,
                                                        const StepOptions& options) const = 0;
  /// trace.h
  virtual Result<Graph> trace_step(const std::string& network,
                                   const StepOptions& options) const = 0;
  /// For a device other than "cpu".
  virtual BatchAllocator batch_allocator() const = 0;
  virtual Status check_device(const std::string& device) const = 0;

 protected:
  ~StepMaker() = default;  // lives as long as the module
};

}  // namespace flyball

/// In the module.
extern "C" const flyball::StepMaker* flyball_step_maker();
