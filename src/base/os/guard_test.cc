#include "base/os/guard.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <functional>

#include "base/clock.h"
#include "base/files.h"
#include "base/os/temp_folder.h"
#include "base/text.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

bool within_seconds(double limit, const std::function<bool()>& holds) {
  for (const Stopwatch watch; watch.seconds() < limit; sleep_until_ns(monotonic_ns() + 5'000'000))
    if (holds()) return true;
  return holds();
}

// Zombies have ended; who adopts them may not have waited for them yet.
bool lives(pid_t pid) {
  const auto stat = read_file(fmt::format("/proc/{}/stat", pid), 4096);
  return stat && stat->find(") Z ") == std::string::npos;
}

pid_t number_in(const fs::path& file) {
  const auto text = read_file(file);
  return text ? static_cast<pid_t>(parse_integer(trim(*text)).value_or(0)) : 0;
}

// A process that does as it is told and then dies by `signal`.
void run_and_die(int signal, const std::function<void()>& act) {
  const pid_t child = ::fork();
  if (child == 0) {
    act();
    ::signal(signal, SIG_DFL);  // sanitizers handle some
    ::kill(::getpid(), signal);
    ::pause();
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(WTERMSIG(status), signal);
}

// A program in a group of its own, as spawn_group() starts one; a shell with a child.
void start_program(const std::string& script) {
  const pid_t pid = ::fork();
  if (pid != 0) return;
  ::setpgid(0, 0);
  Guard::announce_this_group();
  ::execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
  ::_exit(127);
}

TEST(Guard, EndsTheWholeGroupOfAProcessThatWasKilled) {
  const TempFolder folder;
  for (const int signal : {SIGKILL, SIGSEGV}) {
    const fs::path leader = folder / fmt::format("leader{}", signal);
    const fs::path child = folder / fmt::format("child{}", signal);
    run_and_die(signal, [&] {
      Guard::start();
      start_program(fmt::format("{} sleep 60 & echo $! >{}; echo $$ >{}; wait; wait",
                                signal == SIGKILL ? "trap '' TERM;" : "", child.string(),
                                leader.string()));
      within_seconds(10, [&] { return number_in(leader) > 0; });
    });
    ASSERT_GT(number_in(leader), 0);
    ASSERT_GT(number_in(child), 0);
    EXPECT_TRUE(within_seconds(10, [&] { return !lives(number_in(leader)); }));  // despite its trap
    EXPECT_TRUE(within_seconds(10, [&] { return !lives(number_in(child)); }));
  }
}

TEST(Guard, LeavesAloneWhatItWasToldToForget) {
  const TempFolder folder;
  const fs::path kept = folder / "kept", ended = folder / "ended";
  run_and_die(SIGKILL, [&] {
    Guard::start();
    start_program(fmt::format("echo $$ >{}; exec sleep 60", kept.string()));
    start_program(fmt::format("echo $$ >{}; exec sleep 60", ended.string()));
    within_seconds(10, [&] { return number_in(kept) > 0 && number_in(ended) > 0; });
    Guard::forget(number_in(kept));
  });
  EXPECT_TRUE(within_seconds(10, [&] { return !lives(number_in(ended)); }));
  EXPECT_TRUE(lives(number_in(kept)));
  ::kill(number_in(kept), SIGKILL);
}

TEST(Guard, PutsBackWhereAJournalIsLeftAndOnlyThere) {
  const TempFolder folder;
  const fs::path journal = folder / "a journal", done = folder / "done";
  ASSERT_TRUE(write_file(journal, "x").ok());
  const auto die = [&] {
    run_and_die(SIGKILL, [&] {
      Guard::set_restorer(
          {"/bin/sh", "-c", "rm -f \"$0\" && echo x >>\"$1\"", journal.string(), done.string()});
      Guard::start();
      Guard::watch_journal(journal);
    });
  };
  die();
  EXPECT_TRUE(within_seconds(10, [&] { return fs::exists(done); }));
  EXPECT_FALSE(fs::exists(journal));
  fs::remove(done);
  die();  // nothing is left: nothing is to be done
  sleep_until_ns(monotonic_ns() + 300'000'000);
  EXPECT_FALSE(fs::exists(done));
}

// The dying process may still hold its locks when the guard hears of its end.
TEST(Guard, TriesAgainWhatCouldNotBePutBackAtOnce) {
  const TempFolder folder;
  const fs::path journal = folder / "journal", tried = folder / "tried";
  ASSERT_TRUE(write_file(journal, "x").ok());
  run_and_die(SIGKILL, [&] {
    Guard::set_restorer({"/bin/sh", "-c",
                         "echo x >>\"$1\"; [ $(wc -l <\"$1\") -lt 3 ] || rm -f \"$0\"",
                         journal.string(), tried.string()});
    Guard::start();
    Guard::watch_journal(journal);
  });
  EXPECT_TRUE(within_seconds(10, [&] { return !fs::exists(journal); }));
  sleep_until_ns(monotonic_ns() + 500'000'000);
  EXPECT_EQ(*read_file(tried), "x\nx\nx\n");
}

// Who waits for our output to end does not wait for the guard, and Ctrl-C does not reach it.
TEST(Guard, HoldsNothingOfOurs) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], 1);
    ::dup2(ends[1], 2);
    ::dup2(ends[1], 5);
    ::close(ends[1]);
    ::close(ends[0]);
    Guard::start();
    sleep_until_ns(monotonic_ns() + 100'000'000);
    for (const int fd : {1, 2, 5}) ::close(fd);
    sleep_until_ns(monotonic_ns() + 2'000'000'000);
    ::_exit(0);
  }
  ::close(ends[1]);
  char byte = 0;
  const Stopwatch watch;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);
  EXPECT_LT(watch.seconds(), 1.9);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
}

}  // namespace
}  // namespace flyball
