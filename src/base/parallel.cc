#include "base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>
#include <vector>

namespace flyball {
namespace {

thread_local bool inside = false;  // of a loop: its cores are taken

}  // namespace

size_t usable_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    return static_cast<size_t>(std::max(1, CPU_COUNT(&allowed)));
  return std::max(1u, std::thread::hardware_concurrency());
}

void parallel_for(size_t n, const std::function<void(size_t)>& body, size_t threads) {
  if (threads == 0) threads = usable_cores();
  threads = inside ? 1 : std::min(threads, n);
  std::atomic<size_t> next{0};
  const auto work = [&] {
    const bool outer = std::exchange(inside, true);
    for (size_t i = next.fetch_add(1); i < n; i = next.fetch_add(1)) body(i);
    inside = outer;
  };
  std::vector<std::thread> pool;
  for (size_t t = 1; t < threads; ++t) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();
}

}  // namespace flyball
