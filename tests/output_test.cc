// Standard output that takes nothing more, and words that are no command.
#include <gmock/gmock.h>

#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class OutputTest : public CommandTest {
 protected:
  void TearDown() override {
    if (stdout_ >= 0) ::close(stdout_);
    CommandTest::TearDown();
  }
};

TEST_F(OutputTest, AFullDiskIsSaidAndNoSuccess) {
  const std::string table = "table:" + small_table().string();
  stdout_ = ::open("/dev/full", O_WRONLY);
  ASSERT_GE(stdout_, 0);
  const std::vector<std::vector<std::string>> commands = {
      {"doctor"},
      {"doctor", "--json"},
      {"workloads", "--json"},
      {"runs", "list"},
      {"runs", "list", "--json"},
      {"measure", "--json", "--", "true"},
      {"tune", "net", "--device", table, "--power-budget", "15W", "-q"},
      {"--help"},
      {"--version"}};
  for (const std::vector<std::string>& command : commands) {
    const Finished done = run(command);
    EXPECT_EQ(done.exit_code, 2) << command[0];
    EXPECT_THAT(done.err, HasSubstr("cannot write to standard output: No space left on device\n"
                                    "HINT: free some disk space"));
    EXPECT_THAT(done.err, Not(HasSubstr("unexpected failure")));
  }
}

TEST_F(OutputTest, AMeasuredCommandKeepsItsOwnFailure) {
  stdout_ = ::open("/dev/full", O_WRONLY);
  EXPECT_EQ(run({"measure", "--json", "--", "sh", "-c", "exit 7"}).exit_code, 7);
}

// As other tools do, whether or not somebody has switched the signal off.
TEST_F(OutputTest, APipeThatNobodyReadsEndsItQuietly) {
  for (const auto action : {SIG_DFL, SIG_IGN}) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ::close(ends[0]);
    stdout_ = ends[1];
    ::signal(SIGPIPE, action);
    const Finished done = run({"workloads", "--json"});
    const Finished text = run({"runs", "list"});
    ::signal(SIGPIPE, SIG_DFL);
    ::close(std::exchange(stdout_, -1));
    EXPECT_EQ(done.exit_code, 128 + SIGPIPE);
    EXPECT_EQ(done.err, "");
    EXPECT_EQ(text.exit_code, 128 + SIGPIPE);
    EXPECT_EQ(text.err, "");
  }
}

// What goes on until somebody stops it does not go on for nobody.
TEST_F(OutputTest, WhatIsWatchedEndsWithItsReader) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  stdout_ = ends[1];
  ::signal(SIGPIPE, SIG_IGN);
  const Stopwatch watch;
  const Finished done = run({"monitor", "--device", "twin:orin_nano", "--json"});
  ::signal(SIGPIPE, SIG_DFL);
  EXPECT_EQ(done.exit_code, 128 + SIGPIPE);
  EXPECT_EQ(done.err, "");
  EXPECT_LT(watch.seconds(), 20);
  ::close(stdout_);
  stdout_ = ::open("/dev/full", O_WRONLY);
  const Finished full = run({"monitor", "--device", "twin:orin_nano", "--json"});
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_THAT(full.err, HasSubstr("No space left on device"));
}

}  // namespace
}  // namespace flyball::testing_tools
