// Threads that stay, and do one thing at a time together: a parallel region.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace flyball {

class Team {
 public:
  /// `size` threads, the caller's among them; at least one.
  explicit Team(int size);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return static_cast<int>(members_.size()) + 1; }
  /// Calls part(i) for each i below size(), each on its thread, and returns when all have.
  void run(const std::function<void(int)>& part);

 private:
  void serve(int index);

  const std::function<void(int)>* part_ = nullptr;
  std::atomic<unsigned> turn_ = 0;  ///< counts what was begun
  std::atomic<int> busy_ = 0;
  std::atomic<bool> ending_ = false;
  std::vector<std::thread> members_;
};

}  // namespace flyball
