#include "tune/tune.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/os/temp_folder.h"
#include "profile/trials/table_profiler.h"
#include "store/store.h"

namespace flyball {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// A table of eight configurations whose user presses Ctrl-C after so many trials, or whose board
// somebody else has by then.
class Stopped final : public Profiler {
 public:
  explicit Stopped(size_t after, Code why = Code::interrupted) : after_(after), why_(why) {
    WorkloadTable table;
    table.device = "board";
    table.workload = "net";
    table.space = Space(std::vector{named_axis("gpu_mhz", {})});
    for (double clock : {1, 2, 3, 4, 5, 6, 7, 8}) table.add(std::array{clock}, 100 / clock, 5);
    table_ = make_table_profiler(table);
  }
  const ProfilerInfo& info() const override { return table_->info(); }
  const Space& space() const override { return table_->space(); }
  size_t default_config() const override { return table_->default_config(); }
  std::string default_reason() const override { return table_->default_reason(); }
  Result<Measurement> measure(size_t config) override {
    if (measured == after_) return Error{why_, "stopped", "wait"};
    ++measured;
    return table_->measure(config);
  }

  size_t measured = 0;

 private:
  size_t after_;
  Code why_;
  std::unique_ptr<Profiler> table_;
};

class Tune : public ::testing::Test {
 protected:
  Tune() : store_(Store::open(folder_ / "store.db").value()) {
    request_.strategy = "brute-force";
    request_.command = "flyball tune";
  }
  Result<TuneResult> tune_on(Profiler& profiler, bool fresh, bool kept = true) {
    request_.fresh = fresh;
    return tune(profiler, kept ? &store_ : nullptr, request_);
  }
  Result<TuneResult> tune_all(bool fresh) {
    Stopped never(100);
    auto result = tune_on(never, fresh);
    measured_ = never.measured;
    return result;
  }

  TempFolder folder_;
  Store store_;
  Request request_;
  size_t measured_ = 0;  // by the last tune_all
};

TEST_F(Tune, WithoutTheBoardItEndsAndNoTrialIsKept) {
  Stopped profiler(0, Code::conflict);
  const auto stopped = tune_on(profiler, false);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, Code::conflict);
  EXPECT_EQ(stopped.error().hint, "wait");
  EXPECT_EQ(store_.runs().value().at(0).measurements, 0u);
  EXPECT_TRUE(store_.measurements({}).value().empty());
}

TEST_F(Tune, AnInterruptedFreshRunGoesOnWithWhatItHasMeasuredItself) {
  ASSERT_TRUE(tune_all(false).ok());
  Stopped profiler(3);
  const auto stopped = tune_on(profiler, true);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().hint, "the same command goes on from here");
  EXPECT_EQ(store_.runs().value().at(0).measurements, 3u);

  const auto result = tune_all(true);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(measured_, 5u);
  EXPECT_THAT(store_.runs().value(), SizeIs(2));
  EXPECT_EQ(store_.runs().value().at(0).measurements, 8u);
  EXPECT_EQ(store_.runs().value().at(0).reused, 0u);

  ASSERT_TRUE(tune_all(true).ok());  // the run is done: the next one measures everything again
  EXPECT_EQ(measured_, 8u);
}

TEST_F(Tune, FreshDoesNotGoOnWithARunThatWasNot) {
  Stopped profiler(3);
  ASSERT_FALSE(tune_on(profiler, false).ok());
  ASSERT_TRUE(tune_all(true).ok());
  EXPECT_EQ(measured_, 8u);
  EXPECT_THAT(store_.runs().value(), SizeIs(2));
}

TEST_F(Tune, AResumedRunHoldsEachTrialOnce) {
  for (size_t after : {3, 2}) {
    Stopped profiler(after);
    ASSERT_FALSE(tune_on(profiler, false).ok());
  }
  ASSERT_TRUE(tune_all(false).ok());
  EXPECT_EQ(measured_, 3u);
  const auto runs = store_.runs().value();
  ASSERT_THAT(runs, SizeIs(1));
  EXPECT_EQ(runs[0].measurements, 8u);
  EXPECT_EQ(runs[0].reused, 0u);
}

TEST_F(Tune, WithoutAStoreAnInterruptPromisesNothing) {
  Stopped profiler(3);
  const auto stopped = tune_on(profiler, false, false);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, Code::interrupted);
  EXPECT_THAT(stopped.error().hint, HasSubstr("nothing was kept; leave --no-store out"));
}

TEST_F(Tune, WhatIsRefusedIsNoRun) {
  request_.predictor = "magic";
  EXPECT_FALSE(tune_all(false).ok());
  request_ = {};
  request_.strategy = "magic";
  EXPECT_FALSE(tune_all(false).ok());
  request_ = {};
  request_.objective = Objective::throughput;
  EXPECT_FALSE(tune_all(false).ok());
  request_ = {};
  request_.time_budget_s = 0;
  EXPECT_FALSE(tune_all(false).ok());
  EXPECT_TRUE(store_.runs().value().empty());
}

}  // namespace
}  // namespace flyball
