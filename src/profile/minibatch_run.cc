#include "profile/minibatch_run.h"

#include "base/clock.h"

namespace flyball {

MinibatchRun::MinibatchRun(std::unique_ptr<Loader> loader, std::unique_ptr<Stepper> stepper)
    : loader_(std::move(loader)), stepper_(std::move(stepper)), last_ns_(monotonic_ns()) {
  loader_->start_epoch(0);
}

Result<MinibatchTimes> MinibatchRun::next() {
  FLYBALL_ASSIGN(auto batch, loader_->next());
  if (!batch) {
    loader_->start_epoch(++epoch_);
    FLYBALL_ASSIGN(batch, loader_->next());
    if (!batch) return Error{Code::corrupt, "an epoch of this dataset has no minibatch", ""};
  }
  const Stopwatch compute;
  FLYBALL_ASSIGN(loss_, stepper_->step(batch->view));
  MinibatchTimes times;
  times.stall_ms = batch->stall_s * 1e3;
  times.compute_ms = compute.milliseconds();
  const int64_t now = monotonic_ns();
  times.e2e_ms = static_cast<double>(now - last_ns_) * 1e-6;
  times.epoch = static_cast<int>(epoch_);
  last_ns_ = now;
  return times;
}

}  // namespace flyball
