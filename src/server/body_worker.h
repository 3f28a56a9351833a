// A thread that takes large bodies apart, so that the one which reads and writes sockets is never
// held up by them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace flyball {

class BodyWorker {
 public:
  BodyWorker();
  ~BodyWorker() { stop(); }
  BodyWorker(const BodyWorker&) = delete;
  BodyWorker& operator=(const BodyWorker&) = delete;

  /// Runs it once nothing smaller waits; `bytes`: what it has to go through. It must not throw.
  void add(size_t bytes, std::function<void()> work);
  /// Drops what waits, once what runs has ended.
  void stop();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::multimap<size_t, std::function<void()>> waiting_;
  bool stop_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace flyball
