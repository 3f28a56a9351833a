#include "profile/trials/minibatch_run.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace flyball {

MinibatchRun::MinibatchRun(std::unique_ptr<BatchSource> source, std::unique_ptr<Stepper> stepper,
                           std::map<std::string, std::string> facts)
    : source_(std::move(source)), stepper_(std::move(stepper)), facts_(std::move(facts)) {}

void MinibatchRun::resume_epoch() {
  last_ns_ = monotonic_ns();
  source_->resume_epoch(epoch_, position_);
}

Status MinibatchRun::save(const std::filesystem::path& file) {
  FLYBALL_ASSIGN(Checkpoint checkpoint, stepper_->checkpoint());
  checkpoint.facts.insert(facts_.begin(), facts_.end());
  checkpoint.facts["epoch"] = std::to_string(std::max<int64_t>(epoch_, 0));
  checkpoint.facts["minibatches"] = std::to_string(position_);
  return write_checkpoint(file, checkpoint);
}

Status MinibatchRun::resume(const std::filesystem::path& file) {
  FLYBALL_ASSIGN(const Checkpoint checkpoint, read_checkpoint(file));
  const auto take = [&]() -> Status {
    FLYBALL_CHECK(checkpoint.agrees(facts_));
    FLYBALL_ASSIGN(const int64_t epoch, checkpoint.number("epoch"));
    FLYBALL_ASSIGN(const int64_t position, checkpoint.number("minibatches"));
    FLYBALL_CHECK(stepper_->restore(checkpoint));
    epoch_ = epoch;
    position_ = position;
    return {};
  };
  const Status taken = take();
  return taken.ok() ? taken : Status(taken.error().within(file.string()));
}

void MinibatchRun::begin_epoch(int64_t epoch) {
  epoch_ = epoch;
  position_ = 0;
  last_ns_ = monotonic_ns();
  stepper_->begin_epoch();
  source_->start_epoch(epoch);
}

Result<std::optional<MinibatchTimes>> MinibatchRun::next_of_epoch() {
  FLYBALL_ASSIGN(const auto batch, source_->next());
  if (!batch) {  // also where all samples of the last ones were skipped: they have gone by
    position_ = source_->position();
    return std::optional<MinibatchTimes>();
  }
  batch_ = *batch;
  const Stopwatch compute;
  FLYBALL_ASSIGN(result_, stepper_->step(batch->view));
  position_ = source_->position();
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
  step.batch = collate->layout();
  step.shape = step.batch.front().shape;
  FLYBALL_ASSIGN(auto stepper, make_stepper(workload, step));
  std::map<std::string, std::string> facts{
      {"workload", workload},
      {"dataset", dataset->kind()},
      {"samples", std::to_string(dataset->size())},
      {"batch size", std::to_string(step.batch_size)},
      {"seed", std::to_string(step.seed)},
      {"input", step.shape.text()},
      {"precision", precision_name(step.precision)},
      {"parts of a minibatch", std::to_string(step.accumulate)},
      {"last minibatch", load.drop_last ? "left out unless it is full" : "as it comes"},
  };
  load.batch_size = step.batch_size;
  load.seed = step.seed;
  if (auto strands = dataset->strands(step.batch_size); !strands.empty())
    load.order = [strands = std::move(strands)](int64_t) { return strands; };
  load.allocate = batch_allocator(stepper->options().device);
  FLYBALL_ASSIGN(auto loader, Loader::create(dataset, collate, std::move(load)));
  const Loader* const own = loader.get();
  return LoadedRun{MinibatchRun(std::move(loader), std::move(stepper), std::move(facts)), own};
}

}  // namespace flyball
