#include "search/figure_chance.h"

#include <gtest/gtest.h>

#include "search/registry.h"
#include "search/run.h"
#include "search/surface_testing.h"

namespace flyball {
namespace {

using namespace testing_surface;

// A figure that is beyond its limit above 600 MHz, where everything is fastest.
Readings limited(const Problem& problem) {
  Readings all = readings(problem);
  const Space& rows = problem.candidates->space(0);
  for (size_t i = 0; i < rows.size(); ++i) all[0][i].excess = rows.row(i)[1] / 600 - 1;
  return all;
}

TEST(FigureChance, IsNotAskedWhileEverythingHolds) {
  const auto one = problem({});
  History history(one);
  Reading holds{10, 20};
  holds.excess = -0.5;
  history.record(0, 3, holds, "");
  EXPECT_TRUE(figure_chances(history, 0).empty());
}

TEST(FigureChance, FollowsTheNearestReadings) {
  const auto one = problem({});
  const Readings all = limited(*one);
  History history(one);
  for (const size_t candidate : {0u, 9u}) history.record(0, candidate, all[0][candidate], "");
  const auto chances = figure_chances(history, 0);
  ASSERT_EQ(chances.size(), all[0].size());
  EXPECT_NEAR(chances[0], 1, 1e-6);
  EXPECT_NEAR(chances[9], 0, 1e-6);
  for (size_t i = 1; i < 9; ++i) EXPECT_LT(chances[i], chances[i - 1]);
}

TEST(FigureChance, TheAnswerHoldsTheLimitAndIsTheBestThatDoes) {
  const auto one = problem({});
  const Readings all = limited(*one);
  const Choice exact = solve(*one, all);
  ASSERT_TRUE(exact.outcome.feasible);
  SearchOptions options;
  options.profile_budget = 12;
  options.make_predictor = [] { return std::make_unique<NearestPredictor>(); };
  auto strategy = make_strategy("flyball", one, options);
  ASSERT_TRUE(strategy.ok());
  const auto answer = run_search(**strategy, all);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_LE(all[0][answer->choice[0]].excess, 0);
  EXPECT_LE(answer->outcome.loss, 1.1 * exact.outcome.loss);
}

// Where all that was tried is beyond the limit, what is unlike it is tried while there are
// profiles.
TEST(FigureChance, WhatHoldsFarFromAllMissesIsFound) {
  const auto one = problem({});
  Readings all = readings(*one);
  const Space& rows = one->candidates->space(0);
  for (size_t i = 0; i < rows.size(); ++i)  // one corner alone holds, and is the slowest
    all[0][i].excess = rows.row(i)[0] == 2 && rows.row(i)[1] <= 200 ? -0.1 : 0.2;
  SearchOptions options;
  options.profile_budget = 8;
  options.make_predictor = [] { return std::make_unique<NearestPredictor>(); };
  auto strategy = make_strategy("flyball", one, options);
  ASSERT_TRUE(strategy.ok());
  const auto answer = run_search(**strategy, all);
  ASSERT_TRUE(answer.ok()) << answer.error().message << " " << (*strategy)->stopped();
  EXPECT_LE(all[0][answer->choice[0]].excess, 0);
}

TEST(FigureChance, WhereNothingHoldsAllProfilesAreUsedToFindOut) {
  const auto one = problem({});
  Readings all = readings(*one);
  for (Reading& reading : all[0]) reading.excess = 0.25;
  SearchOptions options;
  options.profile_budget = 8;
  options.make_predictor = [] { return std::make_unique<NearestPredictor>(); };
  auto strategy = make_strategy("flyball", one, options);
  ASSERT_TRUE(strategy.ok());
  EXPECT_FALSE(run_search(**strategy, all).ok());
  EXPECT_EQ((*strategy)->history().profiles(), 8u);
  EXPECT_EQ((*strategy)->stopped(), "all profiles were used");
}

TEST(FigureChance, NothingThatHoldsIsAnInfeasibleProblem) {
  const auto one = problem({});
  Readings all = readings(*one);
  for (Reading& reading : all[0]) reading.excess = 0.25;
  const Choice nearest = solve(*one, all);
  EXPECT_FALSE(nearest.outcome.feasible);
  EXPECT_EQ(nearest.outcome.tightest, Constraint::figure);
  EXPECT_DOUBLE_EQ(nearest.outcome.overshoot, 0.25);
  EXPECT_EQ(infeasible_error(*one, all).code, Code::infeasible);
}

}  // namespace
}  // namespace flyball
