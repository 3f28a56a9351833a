#include "schedule/request_queue.h"

#include <algorithm>
#include <unordered_map>

namespace flyball {

int64_t& RequestQueue::samples_of(uint64_t shape) {
  const auto found = std::ranges::find(shapes_, shape, &std::pair<uint64_t, int64_t>::first);
  return found != shapes_.end() ? found->second : shapes_.emplace_back(shape, 0).second;
}

void RequestQueue::push(const Waiting& request) {
  waiting_.push_back(request);
  samples_ += request.samples;
  samples_of(request.shape) += request.samples;
}

void RequestQueue::remove(const Waiting& request) {
  samples_ -= request.samples;
  int64_t& left = samples_of(request.shape);
  left -= request.samples;
  if (left == 0) std::erase_if(shapes_, [](const auto& shape) { return shape.second == 0; });
}

int64_t RequestQueue::samples_like_front() const {
  if (one_shape()) return samples_;
  return std::ranges::find(shapes_, front().shape, &std::pair<uint64_t, int64_t>::first)->second;
}

int64_t RequestQueue::take(int64_t most, std::vector<Waiting>& batch) {
  const uint64_t shape = front().shape;
  int64_t taken = 0, left = samples_like_front();
  std::vector<Waiting> passed;  // of other shapes: they keep their places
  while (left > 0) {
    const Waiting next = front();
    if (next.shape == shape && taken > 0 && taken + next.samples > most) break;
    waiting_.pop_front();
    if (next.shape != shape) {
      passed.push_back(next);
      continue;
    }
    taken += next.samples;
    left -= next.samples;
    remove(next);
    batch.push_back(next);
  }
  waiting_.insert(waiting_.begin(), passed.begin(), passed.end());
  return taken;
}

std::vector<WaitingBatch> RequestQueue::batches(int64_t most) const {
  std::vector<WaitingBatch> all;
  std::unordered_map<uint64_t, size_t> open;  // the last batch of each shape
  for (const Waiting& request : waiting_) {
    const auto [last, first_of_shape] = open.try_emplace(request.shape, all.size());
    if (first_of_shape || all[last->second].samples + request.samples > most) {
      last->second = all.size();
      all.push_back({0, request.deadline_ns, request.shape});
    }
    all[last->second].samples += request.samples;
  }
  return all;
}

}  // namespace flyball
