#include "telemetry/process/bounded_run.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/descriptor.h"
#include "base/files.h"
#include "base/os/temp_folder.h"
#include "base/text.h"
#include "telemetry/process/process_tree.h"

namespace flyball {
namespace {

using testing::HasSubstr;

TEST(BoundedRun, SaysWhatAProgramPrintedAndHowItEnded) {
  const auto answer = ask_program({"sh", "-c", "cat; echo a; echo b >&2; exit 3"}, 10);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer->exit_code, 3);
  EXPECT_EQ(answer->out, "a\n");
  EXPECT_EQ(answer->complaint, "b\n");
  EXPECT_EQ(ask_program({"sh", "-c", "kill -TERM $$"}, 10)->exit_code, 128 + 15);
  EXPECT_EQ(*run_program({"sh", "-c", "echo a; echo b >&2"}, 10), "a\n");
  const auto fails = run_program({"sh", "-c", "echo a; echo 'no, thanks' >&2; exit 1"}, 10);
  ASSERT_FALSE(fails.ok());
  EXPECT_EQ(fails.error().code, Code::unavailable);
  EXPECT_THAT(fails.error().message, HasSubstr("failed: no, thanks"));
  EXPECT_THAT(run_program({"no-such-program-here"}, 10).error().message,
              HasSubstr("there is no no-such-program-here"));
}

TEST(BoundedRun, ReadsAFile) {
  const TempFolder folder;
  ASSERT_TRUE(write_file(folder.path() / "in", "words\n").ok());
  const Descriptor in(::open((folder.path() / "in").c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(*run_program({"cat"}, 10, in.get()), "words\n");
}

TEST(BoundedRun, OutputGoesIntoANewFile) {
  const TempFolder folder;
  const std::filesystem::path file = folder.path() / "out";
  EXPECT_EQ(*run_into_file({"sh", "-c", "cat; echo a; exit 3"}, file), 3);
  EXPECT_EQ(*read_file(file), "a\n");
  EXPECT_EQ(run_into_file({"echo", "b"}, file).error().code, Code::conflict);
  EXPECT_EQ(*read_file(file), "a\n");
}

TEST(BoundedRun, WhatHasNoEndIsEnded) {
  const TempFolder folder;
  const Stopwatch since;
  const auto asked = run_program({"sleep", "100"}, 0.2);
  ASSERT_FALSE(asked.ok());
  EXPECT_EQ(asked.error().message, "sleep 100 took longer than 0.2 s");
  const auto waits = run_into_file({"sleep", "100"}, folder.path() / "a", {.seconds = 0.2});
  ASSERT_FALSE(waits.ok());
  EXPECT_THAT(waits.error().message, HasSubstr("took longer than 0.2 s"));
  const auto writes =
      run_into_file({"yes"}, folder.path() / "b", {.seconds = 60, .bytes = 1 << 20});
  ASSERT_FALSE(writes.ok());
  EXPECT_EQ(writes.error().code, Code::corrupt);
  const auto complains = run_program({"sh", "-c", "yes >&2"}, 60);
  ASSERT_FALSE(complains.ok());
  EXPECT_EQ(complains.error().code, Code::corrupt);
  EXPECT_LT(since.seconds(), 30);
}

TEST(BoundedRun, WhatItsLeaderLeavesEndsWithIt) {
  const TempFolder folder;
  const std::string pid = folder.path() / "pid";
  const auto late = run_program({"sh", "-c",
                                 "(trap '' TERM; echo x >>\"$0\"; sleep 0.05; exec sleep 99) & "
                                 "echo $! >\"$0\".pid; wait",
                                 pid},
                                1);
  EXPECT_FALSE(late.ok());
  const auto left = static_cast<pid_t>(parse_integer(trim(*read_file(pid + ".pid"))).value_or(0));
  ASSERT_GT(left, 0);
  bool gone = false;
  for (int i = 0; i < 200 && !gone; ++i, sleep_until_ns(monotonic_ns() + 10'000'000)) {
    const auto stat = read_pid_stat(left);
    gone = !stat || stat->state == 'Z' || stat->state == 'X';
  }
  EXPECT_TRUE(gone);
}

}  // namespace
}  // namespace flyball
