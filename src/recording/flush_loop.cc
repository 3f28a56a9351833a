#include "recording/flush_loop.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/clock.h"
#include "recording/sample_recorder.h"
#include "telemetry/sampling/thread_time.h"

namespace flyball {

FlushLoop::FlushLoop(std::function<void()> flush) : flush_(std::move(flush)) {
  thread_ = std::thread([this] { run(); });
}

void FlushLoop::end() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_all();
  thread_.join();
}

bool FlushLoop::wait_until(int64_t deadline_ns) {
  std::unique_lock lock(mutex_);
  const std::chrono::nanoseconds left(std::max<int64_t>(deadline_ns - monotonic_ns(), 0));
  return stopped_.wait_for(lock, left, [this] { return stop_; });
}

void FlushLoop::run() {
  int64_t next_ns = monotonic_ns();
  while (true) {
    next_ns = std::max(next_ns + nanoseconds(SampleRecorder::flush_s), monotonic_ns());
    if (wait_until(next_ns)) return;
    flush_();
    cpu_s_.store(thread_cpu_seconds(), std::memory_order_relaxed);
  }
}

}  // namespace flyball
