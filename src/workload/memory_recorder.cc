#include "workload/memory_recorder.h"

#include <algorithm>
#include <limits>

namespace flyball {
namespace {

constexpr size_t alive = std::numeric_limits<size_t>::max();

thread_local MemoryRecording::Recorder* listener = nullptr;

}  // namespace

class MemoryRecording::Recorder final : public c10::MemoryReportingInfoBase {
 public:
  explicit Recorder(c10::DeviceType device) : device_(device) {}

  // The interface of LibTorch 1.13, that of 2.0 and later, and that of 1.8: one of them overrides.
  // NOLINTBEGIN(modernize-use-override)
  virtual void reportMemoryUsage(void* block, int64_t bytes, int64_t, int64_t, c10::Device device) {
    note(block, bytes, device);
  }
  virtual void reportMemoryUsage(void* block, int64_t bytes, size_t, size_t, c10::Device device) {
    note(block, bytes, device);
  }
  virtual void reportMemoryUsage(void* block, int64_t bytes, c10::Device device) {
    note(block, bytes, device);
  }
  virtual bool memoryProfilingEnabled() const { return true; }
  // NOLINTEND(modernize-use-override)

  void tell(StepStage stage) {
    const std::lock_guard lock(mutex_);
    marks_.push_back({event_, stage});
  }

  void begin_step() {
    const std::lock_guard lock(mutex_);
    marks_ = {{0, marks_.back().stage}};
    std::erase_if(blocks_, [](const Block& block) { return block.end != alive; });
    living_.clear();
    for (size_t i = 0; i < blocks_.size(); ++i) {
      blocks_[i].begin = 0;
      living_[blocks_[i].place] = i;
    }
    event_ = 0;
  }

  StepMemory end_step(double batch_size) {
    const std::lock_guard lock(mutex_);
    StepMemory step;
    step.batch_size = batch_size;
    step.end = event_;
    for (const Mark& mark : marks_) {
      if (mark.stage == StepStage::backward) step.forward_end = mark.moment;
      if (mark.stage == StepStage::optimizer) step.backward_end = mark.moment;
    }
    if (step.backward_end == 0) step.forward_end = event_;
    for (const Block& block : blocks_)
      step.blocks.push_back(
          {block.bytes, part_of(block, step), block.begin, std::min(block.end, event_ + 1)});
    return step;
  }

 private:
  struct Block {
    const void* place;
    double bytes;
    size_t begin, end;
    StepStage stage;
  };
  struct Mark {
    size_t moment;
    StepStage stage;
  };

  void note(void* place, int64_t bytes, c10::Device device) {
    if (device.type() != device_ || bytes == 0) return;
    const std::lock_guard lock(mutex_);
    if (bytes > 0) {
      living_[place] = blocks_.size();
      blocks_.push_back({place, static_cast<double>(bytes), ++event_, alive, marks_.back().stage});
      return;
    }
    const auto found = living_.find(place);
    if (found == living_.end()) return;  // older than the recording
    blocks_[found->second].end = ++event_;
    living_.erase(found);
  }

  // The first moment from `begin` on at which a stage other than that of the block began.
  size_t end_of_pass(const Block& block) const {
    for (const Mark& mark : marks_)
      if (mark.moment >= block.begin && mark.stage != block.stage) return mark.moment;
    return event_;
  }

  MemoryPart part_of(const Block& block, const StepMemory& step) const {
    if (block.begin == 0) {
      if (block.stage == StepStage::making) return MemoryPart::weights;
      return block.stage == StepStage::optimizer_state ? MemoryPart::optimizer
                                                       : MemoryPart::activations;
    }
    if (block.stage == StepStage::forward && block.end > end_of_pass(block))
      return MemoryPart::activations;
    if (block.stage == StepStage::backward && block.end > step.backward_end)
      return MemoryPart::gradients;
    return MemoryPart::workspace;
  }

  const c10::DeviceType device_;
  mutable std::mutex mutex_;
  std::vector<Mark> marks_{{0, StepStage::making}};
  std::vector<Block> blocks_;  ///< in the order of their beginnings
  std::unordered_map<const void*, size_t> living_;
  size_t event_ = 0;
};

void tell_stage(StepStage stage) {
  if (listener) listener->tell(stage);
}

MemoryRecording::MemoryRecording(c10::DeviceType device)
    : recorder_(std::make_shared<Recorder>(device)),
      guard_(c10::DebugInfoKind::PROFILER_STATE, recorder_) {
  listener = recorder_.get();
}

MemoryRecording::~MemoryRecording() {
  listener = nullptr;
}

void MemoryRecording::begin_step() {
  recorder_->begin_step();
}

StepMemory MemoryRecording::end_step(double batch_size) {
  return recorder_->end_step(batch_size);
}

}  // namespace flyball
