#include "telemetry/process/spawn.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "base/clock.h"
#include "base/files.h"
#include "base/os/guard.h"
#include "telemetry/process/command.h"
#include "telemetry/process/process_tree.h"
#include "telemetry/sensors/tree_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;

int exit_code_of(const std::vector<std::string>& argv, const SpawnOptions& options = {}) {
  Guard::start();
  const auto pid = spawn_group(argv, options);
  if (!pid) return -1;
  int status = 0;
  ::waitpid(*pid, &status, 0);
  Guard::forget(*pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool within_seconds(double limit, const std::function<bool()>& holds) {
  for (const Stopwatch watch; watch.seconds() < limit; sleep_until_ns(monotonic_ns() + 5'000'000))
    if (holds()) return true;
  return holds();
}

bool lives(pid_t pid) {
  const auto stat = read_pid_stat(pid);
  return stat && stat->state != 'Z' && stat->state != 'X';
}

TEST(Spawn, HasAGroupAnEnvironmentAndAnOutputOfItsOwn) {
  TestTree tree;
  const std::string output = tree.root() / "output";
  const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  EXPECT_EQ(exit_code_of({"sh", "-c",
                          "echo $GREETING; echo to err >&2; cat; "
                          "[ $(ps -o pgid= -p $$) -eq $$ ] && exit 5"},
                         {.environment = {"GREETING=hello", "PATH=/usr/bin:/bin"},
                          .streams = Streams::all_into(file)}),
            5);
  ::close(file);
  EXPECT_EQ(*read_file(output), "hello\nto err\n");
}

TEST(Spawn, SaysWhyAProgramCannotStart) {
  TestTree tree;
  Guard::start();
  EXPECT_EQ(spawn_group({"no-such-program-here"}, {}).error().code, Code::not_found);
  EXPECT_EQ(spawn_group({"/no/such/program"}, {}).error().code, Code::not_found);
  EXPECT_EQ(spawn_group({tree.root()}, {}).error().code, Code::permission);
  // Of another kind of machine: no shell is asked to make sense of it.
  const std::string foreign = tree.put("foreign", "echo from a shell\n");
  std::filesystem::permissions(foreign, std::filesystem::perms::owner_all);
  const auto refused = spawn_group({foreign}, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().hint, HasSubstr("built for this machine"));
  EXPECT_FALSE(
      spawn_group({"true"}, {.streams = Streams::all_into(1 << 20)}).ok());  // no such descriptor
}

TEST(Spawn, WhatWeIgnoreItIgnoresAndWhatWeHandleItDoesNot) {
  for (const bool ignored : {true, false}) {
    const auto before = ::signal(
        SIGHUP, ignored ? SIG_IGN : +[](int) {});
    EXPECT_EQ(exit_code_of({"sh", "-c", "kill -HUP $$; exit 4"}), ignored ? 4 : 128 + SIGHUP);
    ::signal(SIGHUP, before);
  }
}

// A death signal would come when the thread ends that started the command.
TEST(RunningCommand, OutlivesTheThreadThatStartedItAndNotOurProcess) {
  TestTree tree;
  const auto path = tree.root() / "pid";
  const pid_t child = ::fork();
  if (child == 0) {
    std::unique_ptr<RunningCommand> command;
    std::thread([&] {
      command = *RunningCommand::start(
          {"sh", "-c", "sleep 60 & echo $! >\"$0\".child; echo $$ >\"$0\"; wait", path},
          {.foreground = false});
    }).join();
    ::pause();
    ::_exit(0);
  }
  const auto number = [](const std::filesystem::path& file) {
    const auto text = read_file(file);
    return text && text->ends_with('\n') ? std::stoi(*text) : 0;
  };
  ASSERT_TRUE(within_seconds(10, [&] { return number(path) > 0; }));
  sleep_until_ns(monotonic_ns() + 300'000'000);
  const pid_t leader = number(path), grandchild = number(path.string() + ".child");
  EXPECT_TRUE(lives(leader));
  EXPECT_TRUE(lives(grandchild));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(within_seconds(10, [&] { return !lives(leader) && !lives(grandchild); }));
}

}  // namespace
}  // namespace flyball
