// The program's side of stepper.h: what needs LibTorch is asked of the module.
#include "workload/step_maker.h"

#include <malloc.h>

#include <mutex>

#include "module/module.h"
#include "workload/trace.h"

namespace flyball {
namespace {

Result<const StepMaker*> step_maker() {
  return module_interface<StepMaker>("flyball_step_maker");
}

}  // namespace

Result<std::unique_ptr<Stepper>> make_stepper(const std::string& network,
                                              const StepOptions& options) {
  FLYBALL_ASSIGN(const StepMaker* const maker, step_maker());
  keep_freed_memory();
  return maker->make_stepper(network, options);
}

Result<Graph> trace_step(const std::string& network, const StepOptions& options) {
  FLYBALL_ASSIGN(const StepMaker* const maker, step_maker());
  return maker->trace_step(network, options);
}

BatchAllocator batch_allocator(const std::string& device) {
  if (device == "cpu") return {};
  const auto maker = step_maker();
  return maker ? (*maker)->batch_allocator() : BatchAllocator();
}

Status check_device(const std::string& device) {
  if (device == "cpu") return {};
  FLYBALL_ASSIGN(const StepMaker* const maker, step_maker());
  return maker->check_device(device);
}

void keep_freed_memory() {
  static std::once_flag once;
  std::call_once(once, [] {
#ifdef __GLIBC__
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
    mallopt(M_TOP_PAD, 64 << 20);
    // Only the main arena grows without bound; the others would give large blocks back.
    mallopt(M_ARENA_MAX, 1);
#endif
  });
}

}  // namespace flyball
