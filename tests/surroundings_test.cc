// Tests share a process: what one changes of it is as it was for the next (tests/support/main.cc).
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <thread>

namespace {

std::filesystem::path folder_before;

TEST(Surroundings, AreChangedByOneTest) {
  folder_before = std::filesystem::current_path();
  ::setenv("FLYBALL_LEFT_BEHIND", "1", 1);
  ::unsetenv("PATH");
  ::signal(SIGUSR1, SIG_IGN);
  std::filesystem::current_path("/");
}

TEST(Surroundings, AreBackForTheNext) {
  if (folder_before.empty()) GTEST_SKIP() << "runs after AreChangedByOneTest";
  EXPECT_EQ(::getenv("FLYBALL_LEFT_BEHIND"), nullptr);
  EXPECT_NE(::getenv("PATH"), nullptr);
  struct sigaction action {};
  ::sigaction(SIGUSR1, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_DFL);
  EXPECT_EQ(std::filesystem::current_path(), folder_before);
}

// Run once more with a limit that it exceeds, see CMakeLists.txt.
TEST(Surroundings, TakeAFifthOfASecond) {
  while (std::clock() < CLOCKS_PER_SEC / 5) {  // of the processor: waiting counts a fifth
  }
}

}  // namespace
