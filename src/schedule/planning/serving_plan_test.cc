#include "schedule/planning/serving_plan.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "profile/trials/device_script_testing.h"
#include "profile/trials/table_profiler.h"

namespace flyball {
namespace {

using ::testing::HasSubstr;
using ::testing::Pair;

/// Half of what ScriptedDevice can be set to: two and four cores, 300 MHz. Training is faster with
/// two loader workers than with none.
std::vector<WorkloadTable> profiled() {
  WorkloadTable train, infer;
  train.device = infer.device = "board";
  train.workload = "learn";
  infer.workload = "net";
  train.phase = Phase::train;
  infer.phase = Phase::infer;
  train.space =
      Space({named_axis("cpu_cores"), named_axis("gpu_mhz"), named_axis("loader_workers")});
  infer.space = Space({named_axis("cpu_cores"), named_axis("gpu_mhz"), named_axis("batch_size")});
  for (const double cores : {2.0, 4.0}) {
    for (const double workers : {0.0, 2.0})
      train.add(std::vector{cores, 300.0, workers}, 60 - 5 * cores - 5 * workers, 6 + cores);
    for (const double batch : {1.0, 8.0})
      infer.add(std::vector{cores, 300.0, batch}, 8 + batch, 5 + cores);
  }
  return {train, infer};
}

SharedBoard board_of(const std::vector<WorkloadTable>& tables) {
  std::vector<std::unique_ptr<Profiler>> profilers;
  for (const WorkloadTable& table : tables) profilers.push_back(make_table_profiler(table));
  return *share_board(std::move(profilers));
}

ServingRequest asking_for(double latency_ms, const std::string& arrivals) {
  ServingRequest request;
  request.arrivals = {*parse_arrivals(arrivals)};
  request.plan.latencies_ms = {latency_ms};
  return request;
}

TEST(ServingPlan, TrainsMostWithinTheLimits) {
  ServingRequest request = asking_for(200, "poisson:20");
  const auto best = plan_serving(board_of(profiled()), request);
  ASSERT_TRUE(best.ok()) << best.error().message;
  EXPECT_THAT(best->mode().values, testing::Contains(Pair("cpu_cores", 4)));
  EXPECT_THAT(best->training_settings(), testing::ElementsAre(Pair("loader_workers", 2)));
  EXPECT_EQ(best->json()[0]["workload"], "learn");
  EXPECT_EQ(best->json()[1]["workload"], "net");
  request.plan.power_budget_w = 8.5;  // training with two cores takes 8 W, with four 10 W
  const auto thrifty = plan_serving(board_of(profiled()), request);
  ASSERT_TRUE(thrifty.ok()) << thrifty.error().message;
  EXPECT_THAT(thrifty->mode().values, testing::Contains(Pair("cpu_cores", 2)));
  EXPECT_LT(thrifty->choice.trainings_per_s, best->choice.trainings_per_s);
}

TEST(ServingPlan, IsForTheRateThatArrivalsBeginWith) {
  const auto few = plan_serving(board_of(profiled()), asking_for(200, "poisson:5"));
  const auto windows =
      plan_serving(board_of(profiled()), asking_for(200, "windows:5:10min,60:10min"));
  ASSERT_TRUE(few.ok());
  ASSERT_TRUE(windows.ok());
  EXPECT_EQ(windows->problem.roles[1].rate_hz, 5);
  EXPECT_EQ(windows->choice.trainings_per_s, few->choice.trainings_per_s);
  // Over http nobody knows: one request in each latency budget.
  const auto unknown = plan_serving(board_of(profiled()), asking_for(200, "http"));
  ASSERT_TRUE(unknown.ok());
  EXPECT_EQ(unknown->problem.roles[1].rate_hz, 5);
  ServingRequest two = asking_for(200, "http");
  two.arrivals.push_back(two.arrivals.front());
  two.plan.latencies_ms = {200, 1000};
  const auto tables = profiled();
  const auto both = plan_serving(board_of({tables[1], tables[1]}), two);
  ASSERT_TRUE(both.ok()) << both.error().message;
  EXPECT_EQ(both->problem.roles[0].rate_hz, 5);
  EXPECT_EQ(both->problem.roles[1].rate_hz, 1);
}

TEST(ServingPlan, WhatTheUserNamedStands) {
  const auto plan =
      plan_profiled(profiled(), asking_for(200, "poisson:20"), {{{"loader_workers", 0}}, nullptr});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_THAT(plan->training_settings(), testing::ElementsAre(Pair("loader_workers", 0)));
  for (size_t c = 0; c < plan->problem.candidates->space(0).size(); ++c)
    EXPECT_EQ(plan->problem.candidates->space(0).settings(c).at("loader_workers"), 0);
}

// A process that runs with four cores is never planned to go on with two, but clocks may change.
TEST(ServingPlan, WhatCannotChangeLaterIsThePlansOwn) {
  ScriptedDevice knobs;
  knobs.own_cores = true;
  const auto plan = plan_profiled(profiled(), asking_for(200, "poisson:20"), {{}, &knobs});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  for (size_t role = 0; role < 2; ++role) {
    const Space& space = plan->problem.candidates->space(role);
    EXPECT_GT(space.size(), 0u);
    for (size_t c = 0; c < space.size(); ++c) EXPECT_EQ(space.settings(c).at("cpu_cores"), 4);
  }
  const auto free = plan_profiled(profiled(), asking_for(200, "poisson:20"), {});
  ASSERT_TRUE(free.ok());
  EXPECT_EQ(free->problem.candidates->mode_count(), 2u);
  EXPECT_EQ(plan->problem.candidates->mode_count(), 1u);
}

TEST(ServingPlan, ModesThatNobodyProfiledAreThereAndAreNotPlanned) {
  ScriptedDevice knobs;
  const auto plan = plan_profiled(profiled(), asking_for(200, "poisson:20"), {{}, &knobs, true});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  // One core was not profiled either; of the GPU one clock was, so it keeps that one.
  EXPECT_EQ(plan->problem.candidates->mode_count(), 3u);
  const Readings& readings = plan->readings;
  size_t unknown = 0;
  for (size_t c = 0; c < readings[1].size(); ++c)
    unknown += std::isnan(readings[1][c].minibatch_ms) ? 1 : 0;
  EXPECT_EQ(unknown, 2u);
  EXPECT_FALSE(std::isnan(readings[1][plan->choice.choice[1]].minibatch_ms));
}

TEST(ServingPlan, RolesThatCannotBePlannedAreRefused) {
  const auto tables = profiled();
  const auto two =
      plan_serving(board_of({tables[0], tables[0], tables[1]}), asking_for(200, "poisson:20"));
  ASSERT_FALSE(two.ok());
  EXPECT_THAT(two.error().message, HasSubstr("one training beside one service"));
  const auto none = plan_serving(board_of({tables[0]}), asking_for(200, "poisson:20"));
  EXPECT_FALSE(none.ok());
  ServingRequest silent = asking_for(200, "poisson:20");
  silent.arrivals.clear();
  const auto without = plan_serving(board_of(tables), silent);
  ASSERT_FALSE(without.ok());
  EXPECT_THAT(without.error().message, HasSubstr("arrivals"));
}

TEST(ServingPlan, CoresOfThisProcessAloneAreNoModes) {
  ScriptedDevice knobs;
  EXPECT_TRUE(sets_modes(&knobs));
  knobs.own_cores = knobs.own_gpu = true;
  EXPECT_FALSE(sets_modes(&knobs));
  EXPECT_FALSE(sets_modes(nullptr));
}

}  // namespace
}  // namespace flyball
