// Which request is sent when, whatever became of those before: an open loop. It has no clock of its
// own, so that the same code is run in real and in simulated time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "load/load_record.h"
#include "schedule/arrivals.h"

namespace flyball {

struct OpenLoopOptions {
  int64_t duration_ns = 0;  ///< requests are due before this
  size_t connections = 1;   ///< requests under way at a time, at most
  int64_t patience_ns = 0;  ///< a request that is not sent so long after it was due is given up
  size_t most_requests = 10'000'000;  ///< then the load ends
};

/// A request that is due while every connection is busy waits, and its latency counts from when it
/// was due: a server that stalls cannot make its load wait unseen (coordinated omission).
class OpenLoop {
 public:
  OpenLoop(std::unique_ptr<ArrivalSource> source, const OpenLoopOptions& options);

  /// The next request that is not due yet; nothing where no more come.
  std::optional<int64_t> next_due() const { return next_; }
  /// No request is due from here on: the duration, or where the limit of requests was reached.
  int64_t ends_ns() const;
  /// The first time at which take() or expire() has something new to do.
  std::optional<int64_t> next_event() const;
  /// A request to send now; nothing where none is due, or no connection is free.
  std::optional<size_t> take(int64_t now_ns);
  /// Gives up what has waited too long for a connection.
  void expire(int64_t now_ns);
  /// The end of a request that take() gave.
  void done(size_t request, int64_t now_ns, const LoadAnswer& answer);
  /// No more requests are due, and those that have not ended are forgotten: so many.
  size_t stop();
  bool finished() const { return !next_ && waiting_.empty() && under_way_ == 0; }

  const std::vector<LoadRecord>& records() const { return records_; }
  /// Once it is finished.
  std::vector<LoadRecord> take_records() { return std::move(records_); }
  size_t most_under_way() const { return most_under_way_; }
  bool reached_limit() const { return reached_limit_; }

 private:
  void advance(int64_t now_ns);
  void draw();

  std::unique_ptr<ArrivalSource> source_;
  OpenLoopOptions options_;
  std::optional<int64_t> next_;
  std::deque<size_t> waiting_;
  std::vector<LoadRecord> records_;
  size_t under_way_ = 0, most_under_way_ = 0;
  int64_t freed_ns_ = 0;  ///< the last time at which a connection became free
  int64_t last_due_ns_ = 0;
  bool reached_limit_ = false;
};

}  // namespace flyball
