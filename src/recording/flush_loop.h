// Puts what is recorded on the disk, again and again, in a thread of its own: whoever adds samples
// does not wait for a disk.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace flyball {

class FlushLoop {
 public:
  /// Calls `flush` every SampleRecorder::flush_s.
  explicit FlushLoop(std::function<void()> flush);
  ~FlushLoop() { end(); }
  FlushLoop(const FlushLoop&) = delete;
  FlushLoop& operator=(const FlushLoop&) = delete;
  /// Waits for the call that is under way; there is none after it.
  void end();
  /// Processor time of the thread, in s.
  double cpu_seconds() const { return cpu_s_.load(std::memory_order_relaxed); }

 private:
  void run();
  bool wait_until(int64_t deadline_ns);

  std::function<void()> flush_;
  std::mutex mutex_;  ///< guards `stop_`
  std::condition_variable stopped_;
  bool stop_ = false;
  std::atomic<double> cpu_s_{0};
  std::thread thread_;
};

}  // namespace flyball
