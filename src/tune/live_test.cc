// A live board: readings are noisy, one is wrong, and the best of them is partly luck.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "base/random.h"
#include "predict/known_board_testing.h"
#include "tune/live_table_testing.h"
#include "tune/predictions.h"
#include "tune/tune.h"

namespace flyball {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing_live::LiveTable;

// A table whose k-th reading (from 0) of a configuration is multiplied by factor(config, k).
class Live final : public testing_live::LiveTable {
 public:
  using Factor = std::function<double(size_t config, int k)>;

  Live(const WorkloadTable& table, Factor factor)
      : LiveTable(table, [factor = std::move(factor)](size_t config, int k, Measurement& m) {
          m.minibatch_ms *= factor(config, k);
        }) {}
};

// 5 × 4 modes of a board without noise.
WorkloadTable twenty() {
  return testing_board::table_on(
      Space::grid({named_axis("cpu_cores", {6}),
                   named_axis("cpu_mhz", {600, 1200, 1700, 2100, 2200}),
                   named_axis("gpu_mhz", {300, 700, 1000, 1300}), named_axis("mem_mhz", {3200})}),
      {}, 0, 1);
}

TuneResult tuned(Profiler& profiler, Request request = {}) {
  request.strategy = "brute-force";
  auto result = tune(profiler, nullptr, request);
  EXPECT_TRUE(result.ok());
  return *std::move(result);
}

// That no trial succeeds is an answer, too: nothing is predicted from nothing.
TEST(Live, WhereEveryTrialFailsTheAnswerSaysSo) {
  LiveTable board(twenty(), [](size_t, int, Measurement& m) { m.failure = "out of memory"; });
  Request request;
  request.profiles = 4;
  const auto result = tune(board, nullptr, request);
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_TRUE(result->infeasible);
  EXPECT_THAT(result->infeasible->message, HasSubstr("out of memory"));
}

std::vector<size_t> measured_as(const TuneResult& result, bool Observation::*kind) {
  std::vector<size_t> configs;
  for (const Observation& trial : result.profiled)
    if (trial.*kind) configs.push_back(trial.config);
  return configs;
}

TEST(LiveTune, AReadingThatItsNeighboursContradictIsMeasuredAgain) {
  const WorkloadTable table = twenty();
  Random random(2);
  Live profiler(table, [&](size_t config, int k) {
    return std::exp(0.005 * random.normal()) * (config == 10 && k == 0 ? 2 : 1);
  });
  Request request;
  request.verify = false;
  const TuneResult result = tuned(profiler, request);
  ASSERT_THAT(measured_as(result, &Observation::repeat), ElementsAre(10, 10));
  for (size_t i = 0; i < result.profiled.size(); ++i)
    if (result.profiled[i].repeat) {
      EXPECT_EQ(result.profiled[i - 1].config, 10u);  // at once, not at the end
    }
  EXPECT_NEAR(result.configurations[10].minibatch_ms / table.minibatch_ms[10], 1, 0.02);
}

// What is disturbed while too little is known to doubt it is doubted later.
// … and keeps breaking a limit on a figure that it never reports.
TEST(LiveTune, WhatIsMeasuredAgainAndReportsNothingKeepsNoLimit) {
  Live profiler(twenty(), [](size_t config, int k) { return config == 10 && k == 0 ? 2 : 1; });
  Request request;
  request.limits = {{"accuracy", 0.7, false}};
  const TuneResult result = tuned(profiler, request);
  EXPECT_GE(profiler.measured(10), 2);
  EXPECT_EQ(result.choice, std::nullopt);
  EXPECT_TRUE(result.infeasible);
}

TEST(LiveTune, AnEarlyReadingIsDoubtedOnceItsNeighboursAreKnown) {
  const WorkloadTable table = twenty();
  const size_t early = 5;  // of brute force the seventh, after the default
  Live profiler(table, [&](size_t config, int k) { return config == early && k == 0 ? 0.2 : 1; });
  Request request;
  request.verify = false;
  request.predictor = "gp";
  request.strategy = "brute-force";
  const auto result = tune(profiler, nullptr, request);
  ASSERT_TRUE(result.ok());
  EXPECT_GE(profiler.measured(early), 2);
  EXPECT_NEAR(result->configurations[early].minibatch_ms / table.minibatch_ms[early], 1, 0.05);
}

// The default is measured first, at a corner, and everything is compared with it.
TEST(LiveTune, ADisturbedDefaultIsNoGain) {
  const WorkloadTable table = twenty();
  const size_t usual = LiveTable(table).default_config();
  for (const double factor : {24.0, 1.3}) {
    Live profiler(table,
                  [&](size_t config, int k) { return config == usual && k == 0 ? factor : 1; });
    const TuneResult result = tuned(profiler);
    EXPECT_GE(profiler.measured(usual), 2) << factor;
    EXPECT_NEAR(result.configurations[usual].minibatch_ms / table.minibatch_ms[usual], 1, 0.03)
        << factor;
  }
}

// Both sides of the headline rest on two readings.
TEST(LiveTune, TheDefaultIsVerifiedWhereAGainIsTold) {
  const WorkloadTable table = twenty();
  const size_t usual = LiveTable(table).default_config();
  Live profiler(table, [&](size_t config, int) { return config == usual ? 2 : 1; });
  const TuneResult result = tuned(profiler);
  ASSERT_TRUE(result.choice);
  ASSERT_NE(*result.choice, usual);
  EXPECT_GE(profiler.measured(usual), 2);
  EXPECT_EQ(result.readings(usual).size(), static_cast<size_t>(profiler.measured(usual)));
}

TEST(LiveTune, ATableIsNotDoubted) {
  WorkloadTable table = twenty();
  table.minibatch_ms[10] *= 2;
  const auto profiler = make_table_profiler(table);
  const TuneResult result = tuned(*profiler);
  EXPECT_THAT(measured_as(result, &Observation::repeat), IsEmpty());
  EXPECT_EQ(result.profiled.size(), 20u);
}

// The fastest two are all but equal; the first reading of one of them is lucky.
class Verification : public ::testing::Test {
 protected:
  Verification() {
    best_ = table_.size() - 1;  // everything at its highest
    next_ = best_ - 4;          // the same at 2100 MHz: 1.7 % slower
  }
  Live lucky() {
    return Live(table_,
                [this](size_t config, int k) { return config == next_ && k == 0 ? 0.97 : 1; });
  }
  WorkloadTable table_ = twenty();
  size_t best_ = 0, next_ = 0;
};

TEST_F(Verification, AnAnswerThatWasLuckyGivesWay) {
  Live profiler = lucky();
  const TuneResult result = tuned(profiler);
  EXPECT_THAT(measured_as(result, &Observation::verification), ElementsAre(next_, best_));
  EXPECT_EQ(result.choice, best_);
  EXPECT_EQ(result.profiled.back().reason, "the answer, measured once more");
  EXPECT_TRUE(result.profiled.back().repeat);
}

TEST_F(Verification, IsLeftOutWhereAsked) {
  Live profiler = lucky();
  Request request;
  request.verify = false;
  const TuneResult result = tuned(profiler, request);
  EXPECT_THAT(measured_as(result, &Observation::verification), IsEmpty());
  EXPECT_EQ(result.choice, next_);
}

// Its first reading stands, and is the answer.
TEST_F(Verification, OfATrialThatFailsTheFirstReadingStands) {
  LiveTable profiler(table_, [this](size_t config, int k, Measurement& m) {
    if (config == best_ && k > 0) m.failure = "out of memory";
  });
  const TuneResult result = tuned(profiler);
  EXPECT_EQ(result.choice, best_);
  EXPECT_THAT(result.notes, Contains(HasSubstr("could not be measured again: out of memory; its "
                                               "first reading stands")));
  EXPECT_THAT(result.notes, Not(Contains(HasSubstr("left out"))));
}

TEST_F(Verification, BeginsNoTrialAfterTheTime) {
  Live profiler = lucky();
  Request request;
  request.time_limit_s = 1e-9;
  const TuneResult result = tuned(profiler, request);
  EXPECT_EQ(result.profiled.size(), 1u);
  EXPECT_EQ(result.choice, profiler.default_config());
  EXPECT_THAT(result.notes, Contains("not made, as the time was used up: the answer, measured once "
                                     "more"));
}

// A second reading may show that the answer is over the budget after all.
TEST_F(Verification, AnAnswerOverTheBudgetGivesWay) {
  const double budget_s = 1e-3 * table_.minibatch_ms[best_] * 1.005;
  Live profiler(table_, [this](size_t config, int k) {
    return config == best_ && k > 0 ? 1.05 : config == next_ && k == 0 ? 0.97 : 1;
  });
  Request request;
  request.time_budget_s = budget_s;
  const TuneResult result = tuned(profiler, request);
  EXPECT_EQ(result.choice, std::nullopt);
  ASSERT_TRUE(result.infeasible);
  EXPECT_THAT(result.infeasible->message, HasSubstr("time budget"));
}

// One model: what the search is told of the board is what the prediction beside it is told.
TEST(LiveTune, SearchAndPredictionsHoldTheSameFacts) {
  WorkloadTable table = twenty();
  table.power_total = "module";
  table.cost = Cost{2e9, 3e8};
  const auto profiler = make_table_profiler(table);
  const TuneResult result = tuned(*profiler);
  const auto asked = tune_problem({}, *share_board(*profiler));
  ASSERT_TRUE(asked.ok());
  const Role& role = asked->problem->roles[0];
  const WorkloadTable rows = measured_rows(*profiler, result.profiled);
  EXPECT_EQ(rows.device, "board");
  EXPECT_EQ(rows.power_total, "module");
  EXPECT_EQ(role.device, rows.device);
  EXPECT_EQ(role.power_total, rows.power_total);
  EXPECT_EQ(role.workload, rows.workload);
  EXPECT_EQ(role.phase, rows.phase);
  EXPECT_EQ(role.cost, table.cost);
  EXPECT_EQ(rows.cost, table.cost);
}

}  // namespace
}  // namespace flyball
