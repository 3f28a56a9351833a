#include "profile/trials/program_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/clock.h"

namespace flyball {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

TEST(ProgramRun, ATalkativeProgramThatFailsIsQuotedByItsLastLine) {
  ProgramOptions options;
  options.argv = {"sh", "-c", "yes much to say | head -n 500000; echo out of memory >&2; exit 3"};
  options.in_background = true;
  const auto run = ProgramRun::start(options);
  ASSERT_TRUE(run.ok()) << run.error().message;
  ASSERT_TRUE((*run)->wait_until(monotonic_ns() + 60'000'000'000));
  (*run)->stop();
  const Status outcome = (*run)->outcome();
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().message,
              EndsWith("failed with exit code 3; it last said: out of memory"));
}

TEST(ProgramRun, WithoutAFolderForTemporaryFilesNothingIsStarted) {
  const char* former = std::getenv("TMPDIR");
  const std::string kept = former != nullptr ? former : "";
  ASSERT_EQ(::setenv("TMPDIR", "/nowhere/at/all", 1), 0);
  ProgramOptions options;
  options.argv = {"true"};
  const auto run = ProgramRun::start(options);
  former != nullptr ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
  ASSERT_FALSE(run.ok());
  EXPECT_THAT(run.error().hint, HasSubstr("TMPDIR"));
}

}  // namespace
}  // namespace flyball
