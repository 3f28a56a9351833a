#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace flyball {
namespace {

TEST(Parallel, DoesEachOnceOnAnyNumberOfThreads) {
  for (const size_t threads : {0, 1, 2, 7})
    for (const size_t n : {0, 1, 5, 1000}) {
      std::vector<int> done(n, 0);
      parallel_for(
          n, [&](size_t i) { ++done[i]; }, threads);
      EXPECT_EQ(done, std::vector<int>(n, 1)) << n << " on " << threads;
    }
}

TEST(Parallel, UsesTheThreadsItIsGiven) {
  // Each waits for the other: one thread alone would never get past the first.
  std::atomic<int> here{0};
  parallel_for(
      2,
      [&](size_t) {
        ++here;
        while (here < 2) std::this_thread::yield();
      },
      2);
  EXPECT_EQ(here, 2);
}

TEST(Parallel, ALoopInALoopStaysOnItsThread) {
  std::vector<int> strangers(4, 0);
  parallel_for(
      4,
      [&](size_t i) {
        const std::thread::id outer = std::this_thread::get_id();
        std::vector<int> elsewhere(50, 0);
        parallel_for(
            50, [&](size_t j) { elsewhere[j] = std::this_thread::get_id() != outer; }, 8);
        for (int other : elsewhere) strangers[i] += other;
      },
      2);
  EXPECT_EQ(strangers, std::vector<int>(4, 0));
}

TEST(Parallel, HasAtLeastOneCore) {
  EXPECT_GE(usable_cores(), 1u);
}

}  // namespace
}  // namespace flyball
