// A board that another process has: no trial is made, not even a failed one. One that is lost while
// a trial runs: that trial failed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/temp_folder.h"
#include "data/makers/digits.h"
#include "device/host/board_tree_testing.h"
#include "device/power_meter.h"
#include "module/module_testing.h"
#include "profile/trials/device_script_testing.h"
#include "profile/trials/live_profiler.h"
#include "profile/trials/program_profiler.h"

namespace flyball {
namespace {

using testing::HasSubstr;

// Another process that has set the clocks of the tree.
class OtherFlyball {
 public:
  explicit OtherFlyball(const BoardTree& tree) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    EXPECT_EQ(::pipe(done_), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      char byte = 'n';
      {
        const auto host = open_host(tree.options());
        if (host.ok() && (*host)->apply({{{"cpu_mhz", 729.6}}}).ok()) byte = 'y';
        (void)!::write(ready[1], &byte, 1);
        (void)!::read(done_[0], &byte, 1);
      }
      ::_exit(0);
    }
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'y');
  }
  void end() {
    EXPECT_EQ(::write(done_[1], "x", 1), 1);
    ::waitpid(pid_, nullptr, 0);
  }

 private:
  pid_t pid_ = 0;
  int done_[2];
};

void expect_a_trial_only_after(OtherFlyball& other, Profiler& profiler) {
  const auto refused = profiler.measure(profiler.default_config());
  ASSERT_FALSE(refused.ok()) << "a trial that failed: " << refused->failure;
  EXPECT_EQ(refused.error().code, Code::conflict);
  EXPECT_THAT(refused.error().message, HasSubstr("the board is held by process"));
  EXPECT_THAT(refused.error().hint, HasSubstr("wait until it ends"));
  other.end();
  const auto measured = profiler.measure(profiler.default_config());
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  EXPECT_EQ(measured->failure, "");
}

TEST(Claim, AProgramIsNotTried) {
  const BoardTree tree;
  OtherFlyball other(tree);
  ProgramTrialOptions options;
  options.argv = {"true"};
  const auto profiler =
      make_program_profiler(*open_host(tree.options()), open_power_meter(), options);
  ASSERT_TRUE(profiler.ok()) << profiler.error().message;
  expect_a_trial_only_after(other, **profiler);
}

TEST(Claim, ANetworkIsNotTried) {
  const BoardTree tree;
  const TempFolder folder;
  const auto data = folder / "digits";
  ASSERT_TRUE(make_digits(data, {.train = 200, .test = 10}).ok());
  OtherFlyball other(tree);
  LiveOptions options;
  options.workload = "lenet5";
  options.data = data;
  options.warm_up_s = 0.01;
  options.stopping.max_seconds = 0.1;
  options.stopping.min_seconds = 0.01;
  const auto profiler = make_live_profiler(*open_host(tree.options()), open_power_meter(), options);
  ASSERT_TRUE(profiler.ok()) << profiler.error().message;
  expect_a_trial_only_after(other, **profiler);
}

// Its helper goes away while power is read, which is in the midst of each trial.
class LostBoard {
 public:
  LostBoard()
      : device(std::make_unique<ScriptedDevice>()),
        meter(std::make_unique<ScriptedMeter>([of = device.get(), this] {
          if (lost_)
            of->stands = [] { return Error{Code::unavailable, "the helper went away", ""}; };
          return 5.0;
        })) {}
  void expect_a_failed_trial(Profiler& profiler) {
    const auto whole = profiler.measure(profiler.default_config());
    ASSERT_TRUE(whole.ok()) << whole.error().message;
    EXPECT_EQ(whole->failure, "");
    lost_ = true;
    const auto lost = profiler.measure(profiler.default_config());
    ASSERT_TRUE(lost.ok()) << lost.error().message;
    EXPECT_EQ(lost->failure, "the helper went away");
  }
  std::unique_ptr<ScriptedDevice> device;
  std::unique_ptr<ScriptedMeter> meter;

 private:
  bool lost_ = false;
};

TEST(Claim, AProgramsTrialFailsWhereTheBoardIsLostMeanwhile) {
  LostBoard board;
  ProgramTrialOptions options;
  options.argv = {"true"};
  const auto profiler =
      make_program_profiler(std::move(board.device), std::move(board.meter), options);
  ASSERT_TRUE(profiler.ok()) << profiler.error().message;
  board.expect_a_failed_trial(**profiler);
}

TEST(Claim, ANetworksTrialFailsWhereTheBoardIsLostMeanwhile) {
  FLYBALL_NEEDS_TORCH();
  const TempFolder folder;
  LostBoard board;
  LiveOptions options;
  options.data = folder / "digits";
  ASSERT_TRUE(make_digits(options.data, {.train = 200, .test = 10}).ok());
  options.warm_up_s = 0.01;
  options.stopping.max_seconds = 0.1;
  options.stopping.min_seconds = 0.01;
  const auto profiler =
      make_live_profiler(std::move(board.device), std::move(board.meter), options);
  ASSERT_TRUE(profiler.ok()) << profiler.error().message;
  board.expect_a_failed_trial(**profiler);
}

}  // namespace
}  // namespace flyball
