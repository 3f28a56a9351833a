#include "load/open_loop.h"

#include <algorithm>

namespace flyball {

OpenLoop::OpenLoop(std::unique_ptr<ArrivalSource> source, const OpenLoopOptions& options)
    : source_(std::move(source)), options_(options) {
  draw();
}

void OpenLoop::draw() {
  next_.reset();
  if (records_.size() >= options_.most_requests) {
    reached_limit_ = true;
    return;
  }
  const auto due = source_->next_ns();
  if (due && *due < options_.duration_ns) next_ = due;
}

void OpenLoop::advance(int64_t now_ns) {
  while (next_ && *next_ <= now_ns) {
    LoadRecord record;
    record.due_ns = last_due_ns_ = *next_;
    waiting_.push_back(records_.size());
    records_.push_back(record);
    draw();
  }
}

int64_t OpenLoop::ends_ns() const {
  return reached_limit_ ? last_due_ns_ : options_.duration_ns;
}

std::optional<int64_t> OpenLoop::next_event() const {
  std::optional<int64_t> event = next_;
  if (waiting_.empty()) return event;
  const int64_t given_up = records_[waiting_.front()].due_ns + options_.patience_ns;
  return event ? std::min(*event, given_up) : given_up;
}

std::optional<size_t> OpenLoop::take(int64_t now_ns) {
  advance(now_ns);
  if (waiting_.empty() || under_way_ >= options_.connections) return {};
  const size_t request = waiting_.front();
  waiting_.pop_front();
  LoadRecord& record = records_[request];
  // Where every connection was busy, the time until one was free is not the client's lateness.
  const bool was_full = under_way_ + 1 == options_.connections;
  record.free_ns = was_full ? std::max(record.due_ns, freed_ns_) : record.due_ns;
  record.sent_ns = now_ns;
  most_under_way_ = std::max(most_under_way_, ++under_way_);
  return request;
}

void OpenLoop::expire(int64_t now_ns) {
  advance(now_ns);
  while (!waiting_.empty() && records_[waiting_.front()].due_ns + options_.patience_ns <= now_ns) {
    records_[waiting_.front()].done_ns = now_ns;
    waiting_.pop_front();
  }
}

void OpenLoop::done(size_t request, int64_t now_ns, const LoadAnswer& answer) {
  LoadRecord& record = records_[request];
  record.done_ns = now_ns;
  record.outcome = answer.outcome;
  record.first_ns = answer.first_ns;
  record.last_ns = answer.last_ns;
  record.tokens = answer.tokens;
  record.from_usage = answer.from_usage;
  record.status = answer.status;
  if (under_way_ == options_.connections) freed_ns_ = now_ns;
  --under_way_;
}

size_t OpenLoop::stop() {
  next_.reset();
  waiting_.clear();
  under_way_ = 0;
  return std::erase_if(records_, [](const LoadRecord& record) { return record.done_ns < 0; });
}

}  // namespace flyball
