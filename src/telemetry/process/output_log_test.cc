#include "telemetry/process/output_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/clock.h"
#include "telemetry/process/command.h"

namespace flyball {
namespace {

using testing::EndsWith;
using testing::StartsWith;

// Runs a shell script to its end with its output in `log`.
void run(OutputLog& log, const std::string& script) {
  const auto command = RunningCommand::start(
      {"sh", "-c", script}, {.foreground = false, .streams = Streams::all_into(log.descriptor())});
  ASSERT_TRUE(command.ok()) << command.error().message;
  ASSERT_TRUE((*command)->wait_until(monotonic_ns() + 60'000'000'000)) << "it hangs";
  (*command)->finish(false);
  EXPECT_EQ((*command)->exit_code(), 0);
}

TEST(OutputLog, KeepsWhatAProgramPrintsOnBothStreams) {
  const auto log = OutputLog::open();
  ASSERT_TRUE(log.ok());
  run(**log, "echo to stdout; echo to stderr >&2; read nothing || echo no stdin");
  EXPECT_EQ((*log)->text(), "to stdout\nto stderr\nno stdin\n");
}

TEST(OutputLog, IsBoundedAndSaysWhatWasDropped) {
  const auto log = OutputLog::open(10'000);
  ASSERT_TRUE(log.ok());
  // Far more than the pipe holds: the program must not wait for ever, either.
  run(**log, "yes 0123456 | head -n 1000000; echo the end");
  const std::string text = (*log)->text();
  EXPECT_LE(text.size(), 10'100u);
  EXPECT_GT(text.size(), 9'900u);
  EXPECT_THAT(text, EndsWith("0123456\nthe end\n"));
  const size_t kept = text.size() - text.find('\n') - 1;
  EXPECT_THAT(text, StartsWith("[the first " + std::to_string(8'000'008 - kept) + " bytes"));
  EXPECT_EQ(kept % 8, 0u) << "the first line is whole";
}

TEST(OutputLog, ASilentOrAbandonedProgramHoldsNobodyUp) {
  const int64_t begin = monotonic_ns();
  {
    const auto log = OutputLog::open();
    ASSERT_TRUE(log.ok());
    run(**log, "true");
    EXPECT_EQ((*log)->text(), "");
  }
  EXPECT_LT(monotonic_ns() - begin, 30'000'000'000);
}

}  // namespace
}  // namespace flyball
