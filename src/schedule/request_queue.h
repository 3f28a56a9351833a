// The requests that wait at one service, in the order of their deadlines, and the batches that they
// will be served in: each of one shape, since what differs in shape cannot be one minibatch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace flyball {

/// A request that waits.
struct Waiting {
  uint64_t id = 0;
  int64_t arrived_ns = 0, deadline_ns = 0;
  int64_t samples = 1;
  uint64_t shape = 0;  ///< those of equal shape may share a batch
};

/// A batch that what waits will be served in.
struct WaitingBatch {
  int64_t samples = 0;
  int64_t deadline_ns = 0;  ///< of its first request
  uint64_t shape = 0;
};

class RequestQueue {
 public:
  void push(const Waiting& request);
  /// Moves the next batch: the first request, and those of its shape behind it that fit beside it
  /// within so many samples. Returns its samples.
  int64_t take(int64_t most, std::vector<Waiting>& batch);

  bool empty() const { return waiting_.empty(); }
  size_t size() const { return waiting_.size(); }
  const Waiting& front() const { return waiting_.front(); }
  const std::deque<Waiting>& requests() const { return waiting_; }
  /// Samples that wait in the shape of the first request.
  int64_t samples_like_front() const;
  /// All have one sample and one shape: their number says which batches there will be.
  bool plain() const { return samples_ == static_cast<int64_t>(size()) && shapes_.size() <= 1; }
  bool one_shape() const { return shapes_.size() <= 1; }
  /// All batches of at most so many samples (or one request), as take() will give them.
  std::vector<WaitingBatch> batches(int64_t most) const;

 private:
  int64_t& samples_of(uint64_t shape);
  void remove(const Waiting& request);

  std::deque<Waiting> waiting_;
  int64_t samples_ = 0;
  std::vector<std::pair<uint64_t, int64_t>> shapes_;  ///< with the samples that wait in each
};

}  // namespace flyball
