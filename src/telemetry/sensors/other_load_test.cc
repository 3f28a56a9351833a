#include "telemetry/sensors/other_load.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <thread>

#include "base/clock.h"
#include "telemetry/sensors/tree_testing.h"

namespace flyball {
namespace {

// busy = user + system ticks; of 100 a second.
void put_busy(const TestTree& tree, double seconds) {
  const auto ticks = static_cast<long>(seconds * static_cast<double>(::sysconf(_SC_CLK_TCK)));
  tree.put("proc/stat", "cpu  " + std::to_string(ticks) + " 0 0 9000 0 0 0 0 0 0\ncpu0 1 2 3 4\n");
}

// Uses so much CPU time, however busy the machine is.
void spin(double seconds) {
  const std::clock_t end = std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  while (std::clock() < end) {
  }
}

TEST(OtherLoad, IsTheBusyTimeThatIsNotOurs) {
  const TestTree tree;
  put_busy(tree, 100);
  const Stopwatch watch;
  const OtherLoad load(tree.root());
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  put_busy(tree, 100.6);
  const auto cores = load.cores();
  ASSERT_TRUE(cores);
  EXPECT_GT(*cores, 0.5 / watch.seconds());
  EXPECT_LE(*cores, 0.6 / 0.2 + 0.01);
}

TEST(OtherLoad, OwnWorkAndThatOfChildrenDoNotCount) {
  const TestTree tree;
  put_busy(tree, 100);
  const OtherLoad load(tree.root());
  spin(0.1);
  if (const pid_t child = ::fork(); child == 0) {
    spin(0.1);
    ::_exit(0);
  } else {
    ::waitpid(child, nullptr, 0);
  }
  put_busy(tree, 100.1);  // less than what was used here, so nothing is left for others
  EXPECT_EQ(load.cores(), 0.0);
}

TEST(OtherLoad, UnknownWhereTheKernelDoesNotSay) {
  const TestTree tree;
  EXPECT_FALSE(OtherLoad(tree.root()).cores());
  tree.put("proc/stat", "intr 5\n");
  EXPECT_FALSE(OtherLoad(tree.root()).cores());
}

}  // namespace
}  // namespace flyball
