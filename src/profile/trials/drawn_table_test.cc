#include "profile/trials/drawn_table.h"

#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <cmath>

namespace flyball {
namespace {

using testing::Each;
using testing::HasSubstr;

// Two clocks, either of which may fail.
class TwoClocks final : public Profiler {
 public:
  TwoClocks(bool first_fails, bool second_fails) : fails_{first_fails, second_fails} {
    info_.device = "board";
    info_.workload = "net";
    info_.job = {{axis::batch_size, 16}};
    space_ = Space(std::vector{named_axis(axis::gpu_mhz)});
    for (const double mhz : {300.0, 600.0}) space_.add(std::array{mhz});
  }
  const ProfilerInfo& info() const override { return info_; }
  const Space& space() const override { return space_; }
  size_t default_config() const override { return 1; }
  std::string default_reason() const override { return ""; }
  Result<Measurement> measure(size_t config) override {
    Measurement m;
    m.minibatch_ms = config == 0 ? 40 : 20;
    m.provenance = Provenance::simulated;
    if (fails_[config]) m.failure = "out of memory";
    return m;
  }

 private:
  std::array<bool, 2> fails_;
  ProfilerInfo info_;
  Space space_;
};

TEST(DrawnTable, HoldsEveryTrialThatRanAndTheFixedBatch) {
  TwoClocks both(false, false);
  const auto table = draw_table(both);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->title(), "net train on board");
  ASSERT_EQ(table->size(), 2u);
  EXPECT_EQ(table->space.settings(1), (Settings{{axis::gpu_mhz, 600}, {axis::batch_size, 16}}));
  EXPECT_EQ(table->minibatch_ms[1], 20);
  EXPECT_TRUE(std::isnan(table->power_w[0]));
  EXPECT_THAT(table->provenance, Each(Provenance::simulated));
  TwoClocks one(false, true);
  EXPECT_EQ(draw_table(one)->size(), 1u);
}

TEST(DrawnTable, NothingThatRunsAndAnInterruptAreErrors) {
  TwoClocks none(true, true);
  const auto table = draw_table(none);
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().code, Code::infeasible);
  EXPECT_THAT(table.error().message, HasSubstr("net train on board"));
  const std::atomic<bool> interrupted = true;
  TwoClocks both(false, false);
  EXPECT_EQ(draw_table(both, {.interrupted = &interrupted}).error().code, Code::interrupted);
}

}  // namespace
}  // namespace flyball
