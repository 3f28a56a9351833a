#include "schedule/batch_plan.h"

#include <algorithm>
#include <limits>

namespace flyball {
namespace {

/// What waits in one shape, batch by batch.
class BatchesOf {
 public:
  BatchesOf(const RequestQueue& queue, uint64_t shape)
      : requests_(&queue.requests()), shape_(shape), plain_(queue.plain() && like_first()) {}

  /// The first request that is in no batch yet.
  const Waiting* first() {
    while (at_ < requests_->size() && (*requests_)[at_].shape != shape_) ++at_;
    return at_ < requests_->size() ? &(*requests_)[at_] : nullptr;
  }
  /// A batch of it and of those behind it that may be in it. Its samples.
  template <typename May>
  int64_t next(const May& may) {
    return plain_ ? next_of_one_each(may) : next_of_several(may);
  }

 private:
  bool like_first() const { return requests_->empty() || requests_->front().shape == shape_; }

  template <typename May>
  int64_t next_of_one_each(const May& may) {
    auto size = static_cast<int64_t>(requests_->size() - at_);
    if (!may(size)) {
      int64_t can = 1;
      while (size - can > 1) {
        const int64_t middle = can + (size - can) / 2;
        (may(middle) ? can : size) = middle;
      }
      size = can;
    }
    at_ += static_cast<size_t>(size);
    return size;
  }
  template <typename May>
  int64_t next_of_several(const May& may) {
    int64_t samples = first()->samples;
    for (++at_; first() && may(samples + first()->samples); ++at_) samples += first()->samples;
    return samples;
  }

  const std::deque<Waiting>* requests_;
  uint64_t shape_;
  bool plain_;
  size_t at_ = 0;
};

}  // namespace

BatchPlan plan_batches(const RequestQueue& queue, uint64_t shape, int64_t most,
                       const DurationModel& duration, double begins_ns) {
  BatchPlan plan;
  plan.last_begins = plan.ends = {.typical_ns = begins_ns};
  BatchesOf batches(queue, shape);
  while (const Waiting* first = batches.first()) {
    plan.last_begins = plan.ends;
    plan.last_deadline_ns = first->deadline_ns;
    const double left_ns =
        static_cast<double>(first->deadline_ns) + grain_ns - plan.last_begins.typical_ns;
    const bool lost = duration.typical_ns(first->samples) > left_ns;
    plan.in_time = plan.in_time && !lost;
    plan.last = batches.next([&](int64_t samples) {
      return samples <= most && (lost || duration.typical_ns(samples) <= left_ns);
    });
    if (plan.first == 0) plan.first = plan.last;
    plan.ends = plan.last_begins.then(duration, plan.last);
  }
  return plan;
}

}  // namespace flyball
