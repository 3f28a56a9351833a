#include "profile/trials/memory_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/os/temp_folder.h"
#include "base/parallel.h"
#include "data/formats/open.h"
#include "data/makers/digits.h"
#include "device/host/host.h"
#include "module/module_testing.h"
#include "profile/trials/live_profiler.h"

namespace flyball {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

class MemoryFitTest : public testing::Test {
 protected:
  void SetUp() override {
    if (built_with_torch()) {
      ASSERT_TRUE(make_digits(folder_ / "digits", {.train = 64, .test = 1}).ok());
      data_ = *open_run_data("lenet5", folder_ / "digits", {}, {}, true);
    }
  }

  MemoryFit fit(uint64_t available, const StepOptions& step = {}) {
    StepOptions own = step;
    own.threads = static_cast<int>(usable_cores());
    auto found = MemoryFit::measure("lenet5", own, data_, available);
    EXPECT_TRUE(found.ok()) << found.error().message;
    return *std::move(found);
  }

  Result<std::unique_ptr<Profiler>> profiler(LiveOptions options) {
    options.data = folder_ / "digits";
    options.open.push_back(named_axis("loader_workers", {0, 2}));
    options.open.push_back(named_axis("prefetch", {4}));
    auto device = open_host({.journal = folder_ / "journal", .cpus = {}, .pin_threads = false});
    return make_live_profiler(*std::move(device), make_no_power("no meter"), options);
  }

  TempFolder folder_;
  RunData data_;
};

TEST_F(MemoryFitTest, MinibatchesCountAsManyTimesAsTheLoaderHoldsThem) {
  FLYBALL_NEEDS_TORCH();
  const MemoryFit memory = fit(1 << 20);
  const double inline_loading = memory.needed(100, 0, 0), ahead = memory.needed(100, 2, 4);
  EXPECT_NEAR(ahead - inline_loading, 8 * 100 * (28 * 28 * 4 + 8), 8 * 256);
  EXPECT_GT(inline_loading, 12 * 61706.0);  // weights, gradients, velocity
}

TEST_F(MemoryFitTest, TheLargestBatchIsTheLastThatFits) {
  FLYBALL_NEEDS_TORCH();
  const MemoryFit memory = fit(100'000'000);
  const int64_t largest = memory.need(1, 0, 0).largest_batch;
  EXPECT_GT(largest, 100);
  EXPECT_TRUE(memory.fits(largest, 0, 0));
  EXPECT_FALSE(memory.fits(largest + largest / 50, 0, 0));
  EXPECT_THAT(
      memory.need(largest * 2, 0, 0).text_of(1, 0),
      HasSubstr("100 MB are available; the largest that fits is " + std::to_string(largest)));
  EXPECT_THAT(fit(1000).need(1, 0, 0).text_of(1, 0), HasSubstr("not even one sample fits"));
  EXPECT_LT(memory.need(1, 2, 4).largest_batch, largest) << "minibatches ahead take some of it";
}

TEST_F(MemoryFitTest, TrialsThatDoNotFitAreLeftOutAndNamed) {
  FLYBALL_NEEDS_TORCH();
  LiveOptions options;
  options.open = {named_axis("batch_size", {16, 64, 4096})};
  options.memory = static_cast<uint64_t>(fit(0).needed(64, 0, 0)) + 1;
  const auto some = profiler(options);
  ASSERT_TRUE(some.ok()) << some.error().message;
  const Space& space = (*some)->space();
  const auto batch = *space.axis_index("batch_size"), workers = *space.axis_index("loader_workers");
  size_t inline_64 = 0, ahead_64 = 0, large = 0;
  for (size_t row = 0; row < space.size(); ++row) {
    large += space.row(row)[batch] == 4096;
    (space.row(row)[workers] == 0 ? inline_64 : ahead_64) += space.row(row)[batch] == 64;
  }
  EXPECT_EQ(large, 0u);
  EXPECT_GT(inline_64, 0u);
  EXPECT_EQ(ahead_64, 0u);
  EXPECT_THAT((*some)->info().gaps, Contains(StartsWith("left out: batch_size 4096 needs ")));
  EXPECT_THAT((*some)->info().gaps,
              Contains(StartsWith("left out: batch_size 64 with 2 loader_workers")));

  options.memory_check = false;
  EXPECT_GT((*profiler(options))->space().size(), space.size());
}

TEST_F(MemoryFitTest, IsThatOfTheTrainingThatTrialsRun) {
  FLYBALL_NEEDS_TORCH();
  const auto between = [](double a, double b) { return static_cast<uint64_t>((a + b) / 2); };
  const auto fits = [this](const LiveOptions& options) { return profiler(options).ok(); };
  StepOptions adam, parts;
  adam.optimizer = Optimizer::adam;
  parts.accumulate = 32;
  parts.batch_size = 4096;
  const double usual = fit(0).needed(16, 0, 0), with_adam = fit(0, adam).needed(16, 0, 0);
  const double whole = fit(0).needed(4096, 0, 0), in_parts = fit(0, parts).needed(4096, 0, 0);
  ASSERT_LT(usual, with_adam);
  ASSERT_LT(in_parts, whole);
  LiveOptions options;
  options.memory = between(usual, with_adam);
  EXPECT_TRUE(fits(options));
  options.step = adam;
  EXPECT_FALSE(fits(options));
  options.open = {named_axis("batch_size", {4096})};
  options.memory = between(in_parts, whole);
  options.step = {};
  EXPECT_FALSE(fits(options));
  options.step.accumulate = parts.accumulate;
  EXPECT_TRUE(fits(options));
}

TEST_F(MemoryFitTest, ASampleCacheTakesNoMoreThanTheSet) {
  FLYBALL_NEEDS_TORCH();
  LiveOptions options;
  const double set_bytes = 64 * 784 + 65'000;
  options.memory = static_cast<uint64_t>(fit(0).needed(16, 0, 0) + set_bytes);
  options.cache_bytes = uint64_t{1} << 40;
  const auto all = profiler(options);
  ASSERT_TRUE(all.ok()) << all.error().message;
  // What the set takes is taken.
  options.memory = static_cast<uint64_t>(fit(0).needed(16, 0, 0) + 40'000);
  EXPECT_FALSE(profiler(options).ok());
}

TEST_F(MemoryFitTest, WhereNothingFitsTheAnswerIsNo) {
  FLYBALL_NEEDS_TORCH();
  LiveOptions options;
  for (const bool ahead : {false, true}) {
    options.runs_nothing = ahead;
    options.memory = 1000;
    const auto none = profiler(options);
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().code, Code::infeasible);
    EXPECT_THAT(none.error().message, HasSubstr("lenet5 does not fit: batch_size 16 needs "));
    EXPECT_EQ(none.error().hint, "allow more --memory; or --no-memory-check to try all the same");
    options.memory = 1'000'000;
    EXPECT_THAT(profiler(options).error().hint, StartsWith("--axis batch_size="));
  }
}

}  // namespace
}  // namespace flyball
