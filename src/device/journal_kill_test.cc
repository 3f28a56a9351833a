// kill -9 before each system call of a mode change, and a start of flyball afterwards.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <optional>

#include "device/board_tree_testing.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// Runs `act` in a process that is killed before its n-th system call; false when it ended before.
// Nothing when processes cannot be traced here.
std::optional<bool> killed_before_call(int n, const std::function<void()>& act) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(99);
    ::raise(SIGSTOP);
    act();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFSTOPPED(status)) return {};
  // Two stops for each call: before it and after it.
  for (int stop = 0; stop < 2 * n - 1; ++stop) {
    if (::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) != 0) return {};
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status)) return false;
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  return true;
}

TEST(JournalKill, TheNextStartPutsBackWhereverAModeChangeWasKilled) {
  // In memory: what a disk makes a journal wait for, hundreds of times, is no part of this.
  if (fs::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 1);
  const BoardTree tree;
  const auto start = tree.content();
  const auto change_modes = [&] {
    const auto host = open_host(tree.options());
    (void)(*host)->apply({{{"cpu_mhz", 729.6}}});
    (void)(*host)->apply({{{"cpu_mhz", 1113.6}}});
    (void)(*host)->restore();
  };
  int calls = 0, changed = 0;
  while (true) {
    const auto killed = killed_before_call(calls + 1, change_modes);
    if (!killed) GTEST_SKIP() << "processes cannot be traced here";
    if (!*killed) break;
    ++calls;
    changed += tree.content() != start;
    const auto put_back = recover_settings(tree.journal());
    ASSERT_TRUE(put_back.ok()) << put_back.error().message << " after call " << calls;
    ASSERT_EQ(tree.content(), start) << "killed before call " << calls;
    ASSERT_FALSE(fs::exists(tree.journal())) << "after call " << calls;
  }
  EXPECT_GT(calls, 100);
  EXPECT_GT(changed, 20);
  // Halves of journals go with the next one, locks with their owners.
  ASSERT_TRUE(SettingsJournal::open(tree.journal(), tree.root()).ok());
  EXPECT_TRUE(fs::is_empty(tree.state()));
}

}  // namespace
}  // namespace flyball
