#include "server/body_worker.h"

namespace flyball {

BodyWorker::BodyWorker() : thread_([this] { run(); }) {}

void BodyWorker::add(size_t bytes, std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (stop_) return;
    waiting_.emplace(bytes, std::move(work));
  }
  wake_.notify_one();
}

void BodyWorker::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
  waiting_.clear();
}

void BodyWorker::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
    if (stop_) return;
    {
      const std::function<void()> work = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      lock.unlock();
      work();
    }
    lock.lock();
  }
}

}  // namespace flyball
