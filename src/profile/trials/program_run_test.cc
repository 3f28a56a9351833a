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

// Neither colours nor bytes that are no text reach the message.
TEST(ProgramRun, WhatItLastSaidIsPlainText) {
  ProgramOptions options;
  options.argv = {"sh", "-c", R"(printf '\033[31mout of \377 memory\033[0m\n' >&2; exit 3)"};
  options.in_background = true;
  const auto run = ProgramRun::start(options);
  ASSERT_TRUE(run.ok()) << run.error().message;
  ASSERT_TRUE((*run)->wait_until(monotonic_ns() + 60'000'000'000));
  (*run)->stop();
  EXPECT_THAT((*run)->outcome().error().message,
              EndsWith("it last said: ?[31mout of ? memory?[0m"));
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

// An evaluation marks no minibatches, however long it takes.
TEST(ProgramRun, MayBeSilentUntilItReportsOnceItIsMeasured) {
  const BoardTree tree;
  ProgramTrialOptions options;
  options.argv = {"/usr/bin/python3", "-c",
                  "import time, flyball\n"
                  "for _ in range(100):\n"
                  "    time.sleep(0.005)\n"
                  "    flyball.minibatch()\n"
                  "time.sleep(2)\n"
                  "flyball.report('accuracy', 0.75)\n"};
  options.wanted_figures = {"accuracy"};
  options.stopping = {.min_seconds = 0.1, .max_seconds = 0.2};
  options.warm_up_s = 0.05;
  options.patience_s = 1;
  const auto profiler =
      make_program_profiler(*open_host(tree.options()), make_no_power("no sensor"), options);
  ASSERT_TRUE(profiler.ok()) << profiler.error().message;
  const auto measured = (*profiler)->measure((*profiler)->default_config());
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  EXPECT_EQ(measured->failure, "");
  EXPECT_EQ(measured->figures.at("accuracy"), 0.75);
}

// Other trials would report no more; one that is no number is a failure of its trial.
TEST(ProgramRun, AFigureThatIsWantedMustBeReported) {
  const BoardTree tree;
  ProgramTrialOptions options;
  options.wanted_figures = {"accuracy"};
  options.stopping = {.min_seconds = 0.05, .max_seconds = 0.1};
  options.warm_up_s = 0.02;
  const auto trial = [&](const std::string& report) {
    options.argv = {"/usr/bin/python3", "-c",
                    "import time, flyball\n"
                    "for _ in range(30):\n"
                    "    time.sleep(0.005)\n"
                    "    flyball.minibatch()\n" +
                        report};
    const auto profiler =
        make_program_profiler(*open_host(tree.options()), make_no_power("no sensor"), options);
    EXPECT_TRUE(profiler.ok()) << profiler.error().message;
    return (*profiler)->measure((*profiler)->default_config());
  };
  const auto other = trial("flyball.report('acuracy', 0.75)\n");
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(other.error().message, HasSubstr("never reported accuracy"));
  EXPECT_THAT(other.error().message, HasSubstr("acuracy"));
  const auto diverged =
      trial("flyball.report('accuracy', 0.75)\nflyball.report('accuracy', float('nan'))\n");
  ASSERT_TRUE(diverged.ok()) << diverged.error().message;
  EXPECT_EQ(diverged->failure, "the program reported accuracy as no finite number");
}

// What a program's files say of the value that it takes unless it is told another one.
class OwnValue : public testing::Test {
 protected:
  std::string default_of(const std::string& text) {
    const auto file = folder_ / "train.txt";
    EXPECT_TRUE(write_file(file, text).ok());
    ProgramTrialOptions options;
    options.argv = {"true", file.string()};
    options.open = {named_axis("batch_size")};
    options.open.back().values = {8, 16, 32};
    const auto profiler =
        make_program_profiler(*open_host(tree_.options()), make_no_power("no sensor"), options);
    EXPECT_TRUE(profiler.ok()) << profiler.error().message;
    return (*profiler)->default_reason();
  }
  const BoardTree tree_;
  const TempFolder folder_;
};

TEST_F(OwnValue, IsReadInTheSource) {
  const std::string call = "x = flyball.setting(\n    'batch_size',\n    16)\n";
  EXPECT_THAT(default_of("setting('loader_workers', 2)\n" + call), HasSubstr("batch_size 16 as"));
  EXPECT_THAT(default_of(call + "setting('batch_size', 32)"),
              HasSubstr("the lowest value of each"));
}

// Of a clock the default is what the board had, and no axis of the program is told where none is.
TEST_F(OwnValue, NoAxisOfTheProgramWhereNoneIsOpen) {
  ProgramTrialOptions options;
  options.argv = {"true"};
  options.open = {named_axis("cpu_mhz")};
  for (const auto& [lowest, reason] :
       {std::pair(729.6, "the mode nearest to the one before"), {2201.6, "the mode as it was"}}) {
    options.open.back().values = {lowest};
    const auto profiler =
        make_program_profiler(*open_host(tree_.options()), make_no_power("no sensor"), options);
    ASSERT_TRUE(profiler.ok()) << profiler.error().message;
    EXPECT_EQ((*profiler)->default_reason(), reason);
  }
}

TEST_F(OwnValue, IsNotLookedForInData) {
  const std::string call = "setting('batch_size', 16)\n";
  EXPECT_THAT(default_of(std::string(2 << 20, 'x') + call), HasSubstr("the lowest value of each"));
}

// Names are no patterns.
TEST(ProgramAxes, MayBeNamedAnyhowButForOneVariable) {
  const BoardTree tree;
  const TempFolder folder;
  const auto file = folder / "train.txt";
  ASSERT_TRUE(write_file(file, "setting('a+(b', 3)").ok());
  ProgramTrialOptions options;
  options.argv = {"true", file.string()};
  options.open = {named_axis("a+(b", {1, 3})};
  const auto made = [&] {
    return make_program_profiler(*open_host(tree.options()), make_no_power("no sensor"), options);
  };
  auto profiler = made();
  ASSERT_TRUE(profiler.ok()) << profiler.error().message;
  EXPECT_THAT((*profiler)->default_reason(), HasSubstr("a+(b 3 as the program has it"));
  options.open = {named_axis("Rate", {1, 2}), named_axis("rate", {3, 4})};
  profiler = made();
  ASSERT_FALSE(profiler.ok());
  EXPECT_THAT(profiler.error().message, HasSubstr("both reach the program as FLYBALL_RATE"));
}

// Neither time nor stack grows with what stands behind a call.
TEST_F(OwnValue, IsLookedForInACallAlone) {
  const std::string open = "setting(" + std::string(900'000, ' ') + "'batch_size', 32)\n";
  EXPECT_THAT(default_of(open + "setting('batch_size', 16)\n"), HasSubstr("batch_size 16 as"));
}

}  // namespace
}  // namespace flyball
