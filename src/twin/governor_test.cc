#include "twin/governor.h"

#include <gtest/gtest.h>

#include "twin/twin.h"

namespace flyball {
namespace {

const TwinBoard& agx() {
  static const TwinBoard board = *find_twin_board("xavier_agx");
  return board;
}

/// Clocks after a second of minibatches for which main process, loader workers and GPU are busy for
/// these shares of 10 ms.
TwinGovernor after(double work, double gpu, const PowerMode& caps = {}, double others = 0) {
  TwinGovernor governor(agx(), caps);
  for (int i = 0; i < 100; ++i) {
    // The same work takes longer at a lower clock.
    const double cpu_share = agx().highest(axis::cpu_mhz) / governor.cpu_mhz();
    const double other_share = agx().highest(axis::cpu_mhz) / governor.other_cpu_mhz();
    const double gpu_share = agx().highest(axis::gpu_mhz) / governor.gpu_mhz();
    governor.observe(0.01, {.main_s = 0.01 * work * cpu_share,
                            .others_s = 0.01 * others * other_share,
                            .gpu_s = 0.01 * gpu * gpu_share});
  }
  return governor;
}

TEST(TwinGovernor, FollowsTheLoadToTheNextClockThatIsEnough) {
  // A quarter above what the work needs: 0.4 · 1.25 · 2265.6 MHz = 1132.8.
  EXPECT_EQ(after(0.4, 1).cpu_mhz(), 1190.4);
  EXPECT_EQ(after(0.9, 1).cpu_mhz(), 2265.6);
  EXPECT_EQ(after(0, 1).cpu_mhz(), 115.2);
  // Clusters have their own clocks.
  EXPECT_EQ(after(1, 1, {}, 0.4).other_cpu_mhz(), 1190.4);
  EXPECT_EQ(after(1, 1, {}, 0.4).cpu_mhz(), 2265.6);
  // A third of the time busy: 0.07 · 3 · 1377 = 289.
  EXPECT_EQ(after(1, 0.07).gpu_mhz(), 318.75);
  EXPECT_EQ(after(1, 0.5).gpu_mhz(), 1377);
}

TEST(TwinGovernor, StaysBelowTheCapsOfTheMode) {
  PowerMode caps;
  caps.values = {{axis::cpu_mhz, 1200}, {axis::gpu_mhz, 670}};
  const TwinGovernor governor = after(1, 1, caps);
  EXPECT_EQ(governor.cpu_mhz(), 1200);
  EXPECT_EQ(governor.gpu_mhz(), 670);
  EXPECT_EQ(governor.mode().values, caps.values);
}

TEST(TwinGovernor, FreeClocksCostTimeAndSavePower) {
  for (const char* workload : {"lenet5", "resnet18", "mobilenet_v3"}) {
    const Twin twin = *Twin::make(agx(), *known_twin_workload(workload, Phase::train));
    TwinConfiguration pinned, free;
    free.governors = true;
    TwinOptions options;
    options.noise = false;
    options.minibatches = 1000;
    const TwinRun fixed = *twin.simulate(pinned, options), moved = *twin.simulate(free, options);
    EXPECT_GE(moved.minibatches.back().end_s, fixed.minibatches.back().end_s) << workload;
    EXPECT_LT(moved.minibatches.back().end_s, 1.25 * fixed.minibatches.back().end_s) << workload;
    EXPECT_LT(moved.power.module_w, fixed.power.module_w) << workload;
  }
}

// Where all cores are one cluster, what a governor would do with others moves nothing.
TEST(TwinGovernor, OneClusterHasOneClock) {
  const Twin twin =
      *Twin::make(*find_twin_board("nano"), *known_twin_workload("lenet5", Phase::train));
  TwinConfiguration free;
  free.governors = true;
  TwinOptions options;
  options.noise = false;
  options.minibatches = 200;
  const TwinRun moved = *twin.simulate(free, options);
  TwinConfiguration held = free;
  held.governors = false;
  held.mode.values = {{axis::cpu_mhz, moved.minibatches.back().cpu_mhz},
                      {axis::gpu_mhz, moved.minibatches.back().gpu_mhz}};
  const TwinRun pinned = *twin.simulate(held, options);
  EXPECT_EQ(moved.minibatches.back().other_cpu_mhz, 0);
  EXPECT_NEAR(moved.minibatches.back().rail_w[0], pinned.minibatches.back().rail_w[0],
              1e-6 * pinned.minibatches.back().rail_w[0]);
}

TEST(TwinGovernor, WithoutAGpuTheCpuIsNeverIdle) {
  const TwinBoard board = *find_twin_board("rpi5");
  const Twin twin = *Twin::make(board, *known_twin_workload("resnet18", Phase::train));
  TwinConfiguration free;
  free.governors = true;
  free.batch_size = 4;
  const TwinRun run = *twin.simulate(free, {.minibatches = 20, .seed = 1});
  for (const TwinMinibatch& one : run.minibatches) EXPECT_EQ(one.cpu_mhz, 2400);
}

TEST(TwinGovernor, EqualSeedsGiveEqualRuns) {
  const Twin twin = *Twin::make(agx(), *known_twin_workload("lenet5", Phase::train));
  TwinConfiguration free;
  free.governors = true;
  const TwinRun a = *twin.simulate(free, {.minibatches = 300, .seed = 7});
  const TwinRun b = *twin.simulate(free, {.minibatches = 300, .seed = 7});
  ASSERT_EQ(a.minibatches.size(), b.minibatches.size());
  for (size_t i = 0; i < a.minibatches.size(); ++i)
    EXPECT_EQ(a.minibatches[i].end_s, b.minibatches[i].end_s);
}

TEST(TwinIdle, StatesAreOrderedAsTheStudyFoundThem) {
  for (const char* id : {"xavier_agx", "xavier_nx", "nano"}) {
    const TwinBoard board = *find_twin_board(id);
    const auto at_wall = [&](const TwinIdle& idle) {
      return *twin_plug_w(board, twin_total_w(board, *idle_power(board, {}, idle)));
    };
    const double logging = at_wall({.governors = false, .logging = true}), pinned = at_wall({});
    const double free = at_wall({.governors = true, .logging = false});
    EXPECT_GT(logging, pinned) << id;
    EXPECT_GT(pinned, free) << id;
    EXPECT_GT(free, *twin_plug_w(board, 0)) << id;
  }
  EXPECT_FALSE(twin_plug_w(*find_twin_board("rpi5"), 3));
}

}  // namespace
}  // namespace flyball
