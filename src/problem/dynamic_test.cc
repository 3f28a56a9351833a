#include "problem/dynamic.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/random.h"

namespace flyball {
namespace {

using testing::HasSubstr;

/// 100 and 400 MHz: served_in_windows takes 40 and 10 ms at 10 and 30 W; training 50 and 20 ms.
Problem served_in_windows() {
  Problem problem;
  const Space modes = Space::grid({named_axis("gpu_mhz", {100, 400})});
  problem.candidates = std::make_shared<Candidates>(*Candidates::link({modes}));
  problem.roles = {{"net", Phase::infer, 1, 500}};
  problem.objective = Objective::power;
  return problem;
}
const Readings served = {{{40, 10}, {10, 30}}};

TEST(Dynamic, FollowsTheRateWhenSwitchesAreCheap) {
  Problem problem = served_in_windows();
  problem.switch_ms = 100;
  const std::vector<RateWindow> windows = {{10, 60}, {80, 60}, {10, 60}};
  const auto plan = plan_dynamic(problem, served, windows);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->windows[0].choice.candidates[0], 0u);
  EXPECT_EQ(plan->windows[1].choice.candidates[0], 1u);  // 80/s needs 12.5 ms
  EXPECT_EQ(plan->windows[2].choice.candidates[0], 0u);
  EXPECT_EQ(plan->switches, 2u);
  EXPECT_NEAR(plan->value, (10 * 60 + 30 * 60 + 10 * 60 + (30 - 10) * 0.1) / 180, 1e-9);
  EXPECT_DOUBLE_EQ(plan->static_value, 30);
}

// Of modes that in turns are cheaper by a last digit one is kept.
TEST(Dynamic, DoesNotSwitchForNothing) {
  WorkloadTable serve;
  serve.device = "board";
  serve.workload = "net";
  serve.phase = Phase::infer;
  serve.space = Space({named_axis("gpu_mhz"), named_axis("batch_size")});
  // Slow requests are answered one by one, fast ones in fours.
  for (const double mhz : {300, 600})
    for (const double batch : {1, 4}) {
      const bool cheaper = (mhz == 300) == (batch == 1);
      const double ms = batch == 1 ? 100 : 200;
      serve.add(std::vector<double>{mhz, batch}, ms * (cheaper ? 1 : 1 + 1e-12), 10);
    }
  const auto candidates = std::make_shared<const Candidates>(*Candidates::link({serve.space}));
  const std::array<const WorkloadTable*, 1> tables = {&serve};
  const Readings readings = *readings_of(*candidates, tables);
  Problem problem;
  problem.candidates = candidates;
  problem.roles = {role_of(serve)};
  problem.roles[0].rate_hz = 1;
  problem.roles[0].latency_ms = 1000;
  problem.objective = Objective::energy;
  const std::vector<RateWindow> windows = {{2, 60}, {15, 60}, {2, 60}, {15, 60}, {2, 60}};
  const auto plan = plan_dynamic(problem, readings, windows);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan->switches, 0u);
}

TEST(Dynamic, StaysWhenASwitchCostsMore) {
  Problem problem = served_in_windows();
  problem.switch_ms = 50e3;  // 50 s of power at each switch, three times what the window saves
  const std::vector<RateWindow> windows = {{80, 60}, {10, 10}, {80, 60}};
  const auto plan = plan_dynamic(problem, served, windows);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->switches, 0u);
  EXPECT_EQ(plan->windows[1].choice.candidates[0], 1u);
  EXPECT_DOUBLE_EQ(plan->value, plan->static_value);
}

TEST(Dynamic, ConcurrentTrainingAddsUpOverWindows) {
  Problem problem = served_in_windows();
  const Space modes = Space::grid({named_axis("gpu_mhz", {100, 400})});
  problem.candidates = std::make_shared<Candidates>(*Candidates::link({modes, modes}));
  problem.roles.insert(problem.roles.begin(), {"t", Phase::train, 0, unlimited});
  problem.objective = Objective::throughput;
  const Readings readings = {{{50, 10}, {20, 30}}, served[0]};
  const std::vector<RateWindow> windows = {{10, 30}, {20, 30}};
  const auto plan = plan_dynamic(problem, readings, windows);
  ASSERT_TRUE(plan.ok());
  // At 10/s: 4 of 20 ms in 90 ms → 40/s; at 20/s: 2 in 40 ms → 40/s.
  EXPECT_DOUBLE_EQ(plan->value, 40);
}

// Modes that train equally often differ in power.
TEST(Dynamic, OneWindowIsAnsweredAsItsOwnPlanIs) {
  Problem problem = served_in_windows();
  const Space modes = Space::grid({named_axis("gpu_mhz", {100, 200, 300, 400, 500, 600})});
  problem.candidates = std::make_shared<Candidates>(*Candidates::link({modes, modes}));
  problem.roles.insert(problem.roles.begin(), {"t", Phase::train, 0, unlimited});
  problem.roles[1].rate_hz = 10;
  problem.objective = Objective::throughput;
  size_t ties = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    Readings readings(2, std::vector<Reading>(modes.size()));
    for (auto& role : readings)
      for (Reading& one : role)
        one = {.minibatch_ms = std::array{10.0, 20.0, 22.0, 25.0}[random.below(4)],
               // all different, all equal, none known, some known
               .power_w = std::array{random.uniform(10, 11), 10.0, not_measured,
                                     random.below(2) ? 10.0 : not_measured}[seed % 4]};
    const auto plan = plan_dynamic(problem, readings, std::vector<RateWindow>{{10, 60}});
    ASSERT_TRUE(plan.ok());
    const Choice best = solve(problem, readings);
    EXPECT_EQ(plan->windows[0].choice.candidates, best.candidates) << seed;
    ties += std::ranges::count_if(readings[0], [&](const Reading& one) {
              return one.minibatch_ms == readings[0][best.candidates[0]].minibatch_ms;
            }) > 1;
  }
  EXPECT_GT(ties, 10u);
}

TEST(Dynamic, EnergyPaysASwitchInJoules) {
  Problem problem = served_in_windows();
  problem.objective = Objective::energy;
  problem.switch_ms = 1000;
  const std::vector<RateWindow> windows = {{10, 60}, {80, 60}};
  const Readings readings = {{{40, 5}, {10, 30}}};  // 0.2 and 0.3 J a request
  const auto plan = plan_dynamic(problem, readings, windows);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->switches, 1u);  // saves 60 J of 600 requests, costs 30 J
  EXPECT_DOUBLE_EQ(plan->value, (600 * 0.2 + 4800 * 0.3 + 30) / 5400);
  problem.switch_ms = 3000;
  EXPECT_EQ(plan_dynamic(problem, readings, windows)->switches, 0u);
}

TEST(Dynamic, ASwitchIsPaidAtTheLargerPowerAndItsOwnEnergy) {
  Problem problem = served_in_windows();
  problem.switch_ms = 2000;
  const std::vector<RateWindow> windows = {{80, 60}, {10, 60}};
  auto plan = plan_dynamic(problem, served, windows);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->switches, 1u);
  EXPECT_DOUBLE_EQ(*plan->windows[1].switch_j, 2 * 30);  // from 30 to 10 W
  EXPECT_DOUBLE_EQ(plan->value, (30 * 60 + 10 * 58 + 60) / 120.0);
  problem.switch_j = 1300;  // the switch saves 20 W for 58 s
  plan = plan_dynamic(problem, served, windows);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->switches, 0u);
}

TEST(Dynamic, NeverDrawsMoreThanItsModes) {
  Problem problem = served_in_windows();
  problem.switch_ms = 9000;
  const std::vector<RateWindow> windows = {{10, 10}, {80, 10}, {10, 10}, {80, 10}};
  const auto plan = plan_dynamic(problem, served, windows);
  ASSERT_TRUE(plan.ok());
  EXPECT_LE(plan->value, 30);
}

TEST(Dynamic, AWindowShorterThanASwitchIsNoPlaceForOne) {
  Problem problem = served_in_windows();
  problem.switch_ms = 60e3;
  const std::vector<RateWindow> windows = {{10, 10}, {80, 10}};
  EXPECT_EQ(plan_dynamic(problem, served, windows)->switches, 0u);  // the fast mode serves both
  // Batches of 4 are too slow to gather at 10/s, single requests too slow to serve at 80/s.
  Space apart({named_axis("gpu_mhz", {}), named_axis("batch_size", {})});
  apart.add(std::vector<double>{100, 4});
  apart.add(std::vector<double>{400, 1});
  problem.candidates = std::make_shared<Candidates>(*Candidates::link({apart}));
  problem.roles[0].latency_ms = 100;
  const Readings readings = {{{40, 10}, {20, 30}}};
  const auto plan = plan_dynamic(problem, readings, windows);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().code, Code::infeasible);
  EXPECT_THAT(plan.error().message, HasSubstr("less than the 60 s that a switch takes"));
  problem.switch_ms = 1000;
  EXPECT_EQ(plan_dynamic(problem, readings, windows)->windows[1].switch_j, 30);
  problem.objective = Objective::latency;
  const Readings without = {{{40, 10}, {20, not_measured}}};
  const auto unknown = plan_dynamic(problem, without, windows);
  ASSERT_TRUE(unknown.ok()) << unknown.error().message;
  EXPECT_EQ(unknown->switches, 1u);
  EXPECT_EQ(unknown->windows[1].switch_j, std::nullopt);
}

TEST(Dynamic, NamesTheWindowThatCannotBeServed) {
  const std::vector<RateWindow> windows = {{10, 60}, {150, 60}};
  const auto plan = plan_dynamic(served_in_windows(), served, windows);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().code, Code::infeasible);
  EXPECT_THAT(plan.error().message, HasSubstr("window 2"));
  EXPECT_THAT(plan.error().hint, HasSubstr("100 requests/s"));
}

TEST(Dynamic, OnlyProfiledChoicesAreUsed) {
  Readings partly = served;
  partly[0][0] = {};
  const std::vector<RateWindow> windows = {{10, 60}};
  const auto plan = plan_dynamic(served_in_windows(), partly, windows);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->windows[0].choice.candidates[0], 1u);
  EXPECT_FALSE(plan_dynamic(served_in_windows(), served, std::vector<RateWindow>{{0, 1}}).ok());
}

// Every sequence of modes, its energy spelled out: requests at work and the board between them, a
// switch in place of idling.
TEST(Dynamic, IdlePowerCountsAsBruteForceDoes) {
  Random random(11);
  size_t switched = 0, kept = 0;
  for (int round = 0; round < 200; ++round) {
    Problem problem = served_in_windows();
    problem.objective = Objective::energy;
    problem.switch_ms = random.uniform(0, 3000);
    problem.idle_w = {random.uniform(1, 4), random.uniform(4, 9)};
    const Readings readings = {{{40, random.uniform(12, 25)}, {10, random.uniform(20, 40)}}};
    std::vector<RateWindow> windows;
    for (int w = 0; w < 4; ++w) windows.push_back({random.uniform(2, 24), random.uniform(5, 20)});
    double least = unlimited, requests = 0;
    for (const RateWindow& window : windows) requests += window.rate_hz * window.seconds;
    for (size_t sequence = 0; sequence < 16; ++sequence) {
      double joules = 0;
      for (size_t w = 0; w < 4; ++w) {
        const size_t mode = sequence >> w & 1, before = w > 0 ? sequence >> (w - 1) & 1 : mode;
        const double busy_s =
            windows[w].rate_hz * windows[w].seconds * readings[0][mode].minibatch_ms * 1e-3;
        joules += readings[0][mode].power_w * busy_s +
                  problem.idle_w[mode] * (windows[w].seconds - busy_s);
        if (mode != before)
          joules +=
              (std::max(readings[0][0].power_w, readings[0][1].power_w) - problem.idle_w[mode]) *
              problem.switch_ms * 1e-3;
      }
      least = std::min(least, joules / requests);
    }
    const auto plan = plan_dynamic(problem, readings, windows);
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    EXPECT_NEAR(plan->value, least, 1e-9 * least);
    ++(plan->switches > 0 ? switched : kept);
  }
  EXPECT_GT(switched, 10u);
  EXPECT_GT(kept, 10u);
}

}  // namespace
}  // namespace flyball
