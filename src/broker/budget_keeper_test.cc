#include "broker/budget_keeper.h"

#include <gmock/gmock.h>

namespace flyball {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double idle_w = 5;

// A board whose modes draw less and run slower from one to the next, and what runs on it: a
// training that takes all the time it may have, and a service.
struct World {
  std::vector<double> busy_w = {40, 30, 20, 12}, speed = {1, 0.8, 0.5, 0.3};
  double service_part = 0;        ///< of the time, in the fastest mode
  double late_below_speed = 0;    ///< in slower modes the service is late …
  double late_with_training = 2;  ///< … and with more training than this part of the time

  double served(size_t mode) const { return std::min(1.0, service_part / speed[mode]); }
  KeeperWindow window(size_t mode, double training) const {
    const double trains = std::min(training, 1 - served(mode));
    KeeperWindow seen{.seconds = 10, .turns = 100, .served = 100, .service = "net"};
    seen.training_s = 10 * trains;
    seen.power_w = idle_w + (busy_w[mode] - idle_w) * (trains + served(mode));
    if (speed[mode] < late_below_speed || trains > late_with_training) seen.late = 30;
    return seen;
  }
  double trained(size_t mode, double training) const {
    return speed[mode] * std::min(training, 1 - served(mode));
  }
};

struct Outcome {
  double trained = 0, power_w = 0;
  size_t late = 0, steps = 0, mode = 0;
};

// What it comes to, over the last of many windows.
Outcome settled(const World& world, double budget_w, size_t begin = 0, size_t windows = 200) {
  BudgetKeeper keeper({.budget_w = budget_w, .modes = world.busy_w.size(), .mode = begin});
  Outcome last;
  for (size_t w = 0; w < windows; ++w) {
    const KeeperWindow seen = world.window(keeper.mode(), keeper.training());
    last.trained = world.trained(keeper.mode(), keeper.training());
    last.power_w = seen.power_w;
    last.late = seen.late;
    last.mode = keeper.mode();
    if (const auto step = keeper.look(seen); step && (step->mode || step->training)) ++last.steps;
  }
  return last;
}

TEST(BudgetKeeper, TakesTheFastestModeWithinTheBudgetWhereverItBegins) {
  for (const size_t begin : {0u, 1u, 3u})
    for (const auto& [budget_w, mode] : {std::pair{50.0, 0u}, {35.0, 1u}, {25.0, 2u}, {12.0, 3u}}) {
      const Outcome outcome = settled({}, budget_w, begin);
      EXPECT_EQ(outcome.mode, mode) << budget_w << " from " << begin;
      EXPECT_LE(outcome.power_w, 1.03 * budget_w);
      EXPECT_LE(outcome.steps, 5u);  // and it stays there
    }
}

TEST(BudgetKeeper, BelowTheLowestModeTrainingsHaveLessOfTheTime) {
  const Outcome outcome = settled({}, 9);
  EXPECT_EQ(outcome.mode, 3u);
  EXPECT_NEAR(outcome.power_w, 9, 0.35);
  EXPECT_NEAR(outcome.trained, 0.3 * 4 / 7, 0.02);
}

TEST(BudgetKeeper, ARelaxedBudgetNeverWorsensTraining) {
  for (const double service : {0.0, 0.1, 0.25}) {
    World world;
    world.service_part = service;
    double before = 0;
    for (double budget_w = 6; budget_w < 50; budget_w += 0.5) {
      const Outcome outcome = settled(world, budget_w);
      EXPECT_GE(outcome.trained, 0.97 * before) << budget_w << " W, service " << service;
      before = outcome.trained;
    }
  }
}

TEST(BudgetKeeper, AServiceThatIsLateGetsAFasterModeWherePowerIsLeft) {
  World world;
  world.late_below_speed = 0.6;
  const Outcome outcome = settled(world, 35, 3);
  EXPECT_EQ(outcome.mode, 1u);
  EXPECT_EQ(outcome.late, 0u);
}

TEST(BudgetKeeper, WhereNoFasterModeMayBeTrainingsHaveLess) {
  World world{.busy_w = {20}, .speed = {1}};
  world.late_with_training = 0.6;
  for (const size_t windows : {20u, 40u, 60u}) {
    const Outcome outcome = settled(world, 22, 0, windows);
    EXPECT_GT(outcome.trained, 0.4);
    EXPECT_LT(outcome.trained, 0.65);
  }
}

// What trainings have less is given back where it was for nothing.
TEST(BudgetKeeper, TrainingThatHelpsNobodyBecomesNotLess) {
  World world;
  world.late_below_speed = 2;
  EXPECT_DOUBLE_EQ(settled(world, 22, 2).trained, 0.5);
}

TEST(BudgetKeeper, OtherClientsMayHaveAModeThatOnceBrokeTheBudget) {
  BudgetKeeper keeper({.budget_w = 25, .modes = 2});
  World world;
  ASSERT_EQ(keeper.look(world.window(0, 1))->mode, 1u);
  world.busy_w = {24, 15};
  EXPECT_EQ(keeper.look({.seconds = 10, .power_w = 23, .turns = 9}), std::nullopt);
  keeper.clients_changed();
  EXPECT_EQ(keeper.look(world.window(1, 1))->mode, 0u);
  EXPECT_EQ(keeper.look(world.window(0, 1)), std::nullopt);
}

TEST(BudgetKeeper, AModeThatCannotBeSetIsLetBe) {
  BudgetKeeper keeper({.budget_w = 25, .modes = 3});
  const World world;
  ASSERT_EQ(keeper.look(world.window(0, 1))->mode, 1u);
  keeper.could_not_set();
  EXPECT_EQ(keeper.mode(), 0u);
  EXPECT_EQ(keeper.look(world.window(0, 1))->mode, 2u);
}

TEST(BudgetKeeper, AModeThatCannotBeSetIsNoCeiling) {
  for (const bool others_run : {false, true}) {
    BudgetKeeper keeper({.budget_w = 25, .modes = 3});
    const World world;
    ASSERT_EQ(keeper.look(world.window(0, 1))->mode, 1u);
    keeper.could_not_set();
    ASSERT_EQ(keeper.look(world.window(0, 1))->mode, 2u);
    EXPECT_EQ(keeper.look(world.window(2, 1)), std::nullopt);
    if (others_run) keeper.clients_changed();
    const KeeperWindow little{.seconds = 10, .power_w = 3, .turns = 9};
    EXPECT_EQ(keeper.look(little)->mode, 0u) << others_run;
  }
}

TEST(BudgetKeeper, AModeThatCouldNotBeSetIsTriedAgainEachTimeLater) {
  BudgetKeeper keeper({.budget_w = 25, .modes = 2, .mode = 1});
  const KeeperWindow little{.seconds = 10, .power_w = 3, .turns = 9};
  std::vector<size_t> tried;
  for (size_t window = 0; window < 50; ++window) {
    const auto step = keeper.look(little);
    if (!step) continue;
    ASSERT_EQ(step->mode, 0u);
    tried.push_back(window);
    keeper.could_not_set();
    ASSERT_EQ(keeper.mode(), 1u);
  }
  EXPECT_THAT(tried, ElementsAre(0, 6, 18, 42));
}

TEST(BudgetKeeper, WhatNothingHelpsIsToldOnce) {
  BudgetKeeper keeper({.budget_w = 10});
  const KeeperWindow seen{.seconds = 10, .power_w = 20, .turns = 5, .served = 5};
  const auto told = keeper.look(seen);
  ASSERT_TRUE(told);
  EXPECT_FALSE(told->mode || told->training);
  EXPECT_THAT(told->why, HasSubstr("20 W are drawn, of a budget of 10 W, and nothing is left"));
  EXPECT_FALSE(keeper.look(seen));
}

TEST(BudgetKeeper, WithoutTurnsOrPowerNothingIsDecided) {
  BudgetKeeper keeper({.budget_w = 10, .modes = 2, .mode = 1});
  EXPECT_FALSE(keeper.look({.seconds = 10, .power_w = 20}));
  EXPECT_FALSE(keeper.look({.seconds = 10, .turns = 5}));
}

}  // namespace
}  // namespace flyball
