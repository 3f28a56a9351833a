#include "profile/trials/program_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/clock.h"
#include "base/files.h"
#include "base/os/temp_folder.h"
#include "device/host/board_tree_testing.h"
#include "device/power_meter.h"
#include "profile/trials/program_profiler.h"

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

// As for a network whose board is held: the search ends, and no budget is spent on nothing.
TEST(ProgramRun, WhatCannotBeStartedIsNoFailedTrial) {
  const BoardTree tree;
  const TempFolder folder;
  const auto file = folder / "file";
  ASSERT_TRUE(write_file(file, "no folder").ok());
  ProgramTrialOptions options;
  options.argv = {"true"};
  const auto profiler =
      make_program_profiler(*open_host(tree.options()), make_no_power("no sensor"), options);
  ASSERT_TRUE(profiler.ok()) << profiler.error().message;
  const char* former = std::getenv("TMPDIR");
  const std::string kept = former != nullptr ? former : "";
  ASSERT_EQ(::setenv("TMPDIR", file.c_str(), 1), 0);
  const auto refused = (*profiler)->measure((*profiler)->default_config());
  former != nullptr ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
  EXPECT_FALSE(refused.ok()) << "a trial that failed: " << refused->failure;
  const auto measured = (*profiler)->measure((*profiler)->default_config());
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  EXPECT_EQ(measured->failure, "");
}

}  // namespace
}  // namespace flyball
