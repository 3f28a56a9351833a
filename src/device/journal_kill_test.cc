// kill -9 before each system call of a mode change that changes anything, and a start of flyball
// afterwards.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <set>

#include "base/clock_testing.h"
#include "device/host/board_device.h"
#include "device/host/board_tree_testing.h"
#include "device/host/board_trees_testing.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// Can this call change what others see? A death before one that cannot is a death before the next
// one that can.
bool changes_something(const __ptrace_syscall_info& info) {
  const auto call = static_cast<long>(info.entry.nr);
  if (call == SYS_openat)
    return (info.entry.args[2] & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) != 0;
  static const std::set<long> all = {SYS_write,     SYS_pwrite64, SYS_ftruncate, SYS_renameat,
                                     SYS_renameat2, SYS_unlinkat, SYS_fsync,     SYS_mkdirat,
                                     SYS_flock,     SYS_clone,    SYS_clone3,    SYS_exit_group,
#ifdef SYS_open  // older calls, which newer processors do not have
                                     SYS_open,      SYS_creat,    SYS_rename,    SYS_unlink,
                                     SYS_mkdir,     SYS_rmdir,    SYS_fork,      SYS_vfork,
#endif
                                     SYS_exit};
  return all.contains(call);
}

// Runs `act` in a process that is killed before the n-th of its system calls that change something;
// false when it ended before. Nothing when processes cannot be traced here.
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
  ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD);  // stops say what they are
  while (n > 0) {  // a stop before each call, and one after it
    if (::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) != 0) return {};
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status)) return false;
    __ptrace_syscall_info info{};
    if (::ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info) < 0) return {};
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY && changes_something(info)) --n;
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  return true;
}

// As the next start does. A guard that had just been forked has the lock until it is a shell: a
// start within that moment leaves the journal to the one after it.
Result<size_t> put_back_by_a_start(const fs::path& journal) {
  Result<size_t> put_back = size_t{0};
  EXPECT_TRUE(within_seconds_of_now(10, [&] {
    put_back = recover_settings(journal);
    return !put_back.ok() || !fs::exists(journal);
  }));
  return put_back;
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
    const auto put_back = put_back_by_a_start(tree.journal());
    ASSERT_TRUE(put_back.ok()) << put_back.error().message << " after call " << calls;
    ASSERT_EQ(tree.content(), start) << "killed before call " << calls;
    ASSERT_FALSE(fs::exists(tree.journal())) << "after call " << calls;
  }
  EXPECT_GT(calls, 40);
  EXPECT_GT(changed, 20);
  // Halves of journals go with the next one, locks with their owners.
  ASSERT_TRUE(SettingsJournal::open(tree.journal(), tree.root()).ok());
  EXPECT_TRUE(fs::is_empty(tree.state()));
}

class WholeBoard {
 public:
  WholeBoard() : root_(fs::canonical(folder_.path()) / "tree") {
    trees::write_tree("orin_nano_jp6_super", root_);
    start_ = content();
  }
  const fs::path& root() const { return root_; }
  fs::path journal() const { return folder_ / "state" / "board.journal"; }
  std::unique_ptr<BoardDevice> open() const {
    return open_known_board(identify_board(root_), {.root = root_, .journal = journal()});
  }
  std::map<std::string, std::string> content() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(root_))
      if (entry.is_regular_file()) all[entry.path().string()] = *read_file(entry.path());
    return all;
  }
  bool as_at_start() const { return content() == start_; }

 private:
  TempFolder folder_;
  fs::path root_;
  std::map<std::string, std::string> start_;
};

// `flyball mode set`, twice over, killed before each of its system calls: either the change is
// undone by the next start or it stands, and `flyball mode restore` puts back what was first.
TEST(JournalKill, AModeThatIsSetToStayGoesBackWhereverItWasKilled) {
  if (fs::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 1);
  const WholeBoard board;
  const auto set_twice = [&] {
    const auto device = board.open();
    (void)device->apply({{{"cpu_cores", 3}, {"cpu_mhz", 729.6}, {"mem_mhz", 665.6}}});
    (void)device->keep();
    (void)device->apply({{{"cpu_cores", 5}, {"gpu_mhz", 408}}});
    (void)device->keep();
  };
  int calls = 0, kept = 0, undone = 0;
  while (true) {
    const auto killed = killed_before_call(calls + 1, set_twice);
    if (!killed) GTEST_SKIP() << "processes cannot be traced here";
    ++calls;
    const auto put_back = put_back_by_a_start(board.journal());
    ASSERT_TRUE(put_back.ok()) << put_back.error().message << " after call " << calls;
    undone += *put_back > 0;
    {
      const auto journal = SettingsJournal::open(board.journal(), board.root());
      ASSERT_TRUE(journal.ok()) << journal.error().message;
      const auto restored = (*journal)->restore_kept();
      ASSERT_TRUE(restored.ok()) << restored.error().message << " after call " << calls;
      kept += *restored > 0;
    }
    ASSERT_TRUE(board.as_at_start()) << "killed before call " << calls;
    ASSERT_FALSE(fs::exists(kept_journal(board.journal()))) << "after call " << calls;
    if (!*killed) break;
  }
  EXPECT_GT(calls, 80);
  EXPECT_GT(undone, 50);
  EXPECT_GT(kept, 30);
}

// And `flyball mode restore` itself, killed before each of its system calls.
TEST(JournalKill, RestoringThatWasKilledIsDoneByTheNext) {
  if (fs::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 1);
  const WholeBoard board;
  const auto restore = [&] {
    const auto journal = SettingsJournal::open(board.journal(), board.root());
    (void)(*journal)->restore_kept();
  };
  for (int call = 1;; ++call) {
    {
      const auto device = board.open();
      ASSERT_TRUE(device->apply({{{"cpu_cores", 3}, {"cpu_mhz", 729.6}, {"mem_mhz", 665.6}}}).ok());
      ASSERT_TRUE(device->keep().ok());
    }
    const auto killed = killed_before_call(call, restore);
    if (!killed) GTEST_SKIP() << "processes cannot be traced here";
    restore();
    ASSERT_TRUE(board.as_at_start()) << "killed before call " << call;
    if (!*killed) {
      EXPECT_GT(call, 20);
      break;
    }
  }
}

}  // namespace
}  // namespace flyball
