#include "profile/trials/minibatch_run.h"

#include <utility>

#include "base/clock.h"

namespace flyball {

MinibatchRun::MinibatchRun(std::unique_ptr<BatchSource> source, std::unique_ptr<Stepper> stepper)
    : source_(std::move(source)), stepper_(std::move(stepper)) {}

void MinibatchRun::begin_epoch(int64_t epoch) {
  epoch_ = epoch;
  last_ns_ = monotonic_ns();
  stepper_->begin_epoch();
  source_->start_epoch(epoch);
}

Result<std::optional<MinibatchTimes>> MinibatchRun::next_of_epoch() {
  FLYBALL_ASSIGN(const auto batch, source_->next());
  if (!batch) return std::optional<MinibatchTimes>();
  batch_ = *batch;
  const Stopwatch compute;
  FLYBALL_ASSIGN(result_, stepper_->step(batch->view));
  MinibatchTimes times;
  times.stall_ms = batch->stall_s * 1e3;
  times.compute_ms = compute.milliseconds();
  const int64_t now = monotonic_ns();
  times.e2e_ms = static_cast<double>(now - last_ns_) * 1e-6;
  times.epoch = static_cast<int>(epoch_);
  begin_ns_ = std::exchange(last_ns_, now);
  return std::optional(times);
}

Result<MinibatchTimes> MinibatchRun::next() {
  if (epoch_ < 0) begin_epoch(0);
  FLYBALL_ASSIGN(auto times, next_of_epoch());
  if (times) return *times;
  // The first minibatch of an epoch bears the time of the change.
  const int64_t before = last_ns_;
  begin_epoch(epoch_ + 1);
  last_ns_ = before;
  FLYBALL_ASSIGN(times, next_of_epoch());
  if (!times) return Error{Code::corrupt, "an epoch of this dataset has no minibatch", ""};
  return *times;
}

Result<LoadedRun> start_run(const std::string& workload, const DatasetPtr& dataset,
                            const CollatePtr& collate, StepOptions step, LoaderOptions load) {
  if (step.classes == 0) step.classes = dataset->classes();
  step.shape = collate->layout().front().shape;
  FLYBALL_ASSIGN(auto stepper, make_stepper(workload, step));
  load.batch_size = step.batch_size;
  load.seed = step.seed;
  load.allocate = batch_allocator(stepper->options().device);
  FLYBALL_ASSIGN(auto loader, Loader::create(dataset, collate, std::move(load)));
  const Loader* const own = loader.get();
  return LoadedRun{MinibatchRun(std::move(loader), std::move(stepper)), own};
}

}  // namespace flyball
