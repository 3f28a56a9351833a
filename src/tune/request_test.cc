// A limit on the time against that of the default: what it holds, and that it is a time budget
// whose value the default's reading says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "answers/comparison.h"
#include "base/random.h"
#include "profile/trials/chosen_modes.h"
#include "profile/trials/table_profiler.h"
#include "tune/follow_testing.h"
#include "tune/live_table_testing.h"
#include "tune/planning.h"
#include "tune/tune.h"

namespace flyball {
namespace {

using testing::HasSubstr;
using testing_live::LiveTable;
using testing_live::smooth_table;

// A table whose figures go up and down: the default is neither the fastest nor the thriftiest.
WorkloadTable rough_table(uint64_t seed, std::vector<double> batches = {}) {
  WorkloadTable table = smooth_table("net", std::move(batches));
  Random random(seed);
  for (size_t i = 0; i < table.size(); ++i) {
    table.minibatch_ms[i] *= random.uniform(0.7, 1.4);
    table.power_w[i] *= random.uniform(0.7, 1.4);
  }
  return table;
}

Request request_of(const std::string& kind, Objective objective, double slowdown) {
  Request request;
  request.kind = kind;
  request.strategy = "exact";
  request.objective = objective;
  request.slowdown = slowdown;
  return request;
}

Plan plan_of(const WorkloadTable& table, const Request& request) {
  const auto profiler = make_table_profiler(table);
  return make_plan(*share_board(*profiler), nullptr, request).value();
}

TEST(Request, ARoleIsToldWhatTheJobFixesAndWhatIsKnownBeforehand) {
  ProfilerInfo trains, serves;
  trains.workload = "net";
  trains.job = {{axis::batch_size, 16}, {axis::loader_workers, 4}};
  serves.workload = "det";
  serves.phase = Phase::infer;
  Request request;
  request.kind = "concurrent";
  request.priors = {nullptr, std::make_shared<const WorkloadTable>()};
  const auto roles = roles_of(request, {&trains, &serves});
  EXPECT_EQ(empty_table(roles[0], {}).batch_size, 16);
  EXPECT_EQ(empty_table(roles[1], {}).batch_size, 0);
  EXPECT_EQ(roles[0].prior, nullptr);
  EXPECT_EQ(empty_table(roles[1], {}).prior, request.priors[1]);
  request.priors.pop_back();
  EXPECT_EQ(roles_of(request, {&trains, &serves})[1].prior, nullptr);
}

// 1e3 * budget * (1 / n) is not always the minibatch's time to its last digit.
TEST(Request, AnEpochThatTakesItsWholeBudgetIsWithinIt) {
  WorkloadTable table = smooth_table("net", {16});
  table.phase = Phase::train;
  const size_t fastest = table.size() - 1;
  table.minibatch_ms[fastest] = 23.5;
  table.power_w[fastest] = 29.8;
  for (size_t i = 0; i < fastest; ++i) table.minibatch_ms[i] = 470;
  for (int minibatches = 1; minibatches <= 300; ++minibatches)
    for (const bool energy : {false, true}) {
      Request request;
      request.strategy = "exact";
      request.samples = 16.0 * minibatches;
      const double epoch_s = 23.5 * minibatches / 1000;
      (energy ? request.energy_budget_j : request.time_budget_s) =
          energy ? 29.8 * epoch_s : epoch_s;
      const auto result = tune(*make_table_profiler(table), nullptr, request);
      ASSERT_TRUE(result.ok()) << result.error().message;
      EXPECT_EQ(result->choice, fastest) << minibatches << (energy ? " J" : " s");
    }
}

// Per minibatch, and per sample where batch sizes differ: as the plan's time budget counts.
TEST(Slowdown, IsTheTimeBudgetOfSoMuchMoreThanTheDefaultTakes) {
  Random random(3);
  for (uint64_t seed = 1; seed <= 20; ++seed)
    for (const bool batches : {false, true}) {
      WorkloadTable table =
          rough_table(seed, batches ? std::vector<double>{4, 16, 64} : std::vector<double>());
      table.phase = Phase::train;
      const double slowdown = 1 + random.uniform(0, 0.3);
      const Request limited = request_of("training", Objective::energy, slowdown);
      const Plan plan = plan_of(table, limited);
      ASSERT_TRUE(plan.usual);
      const double batch = batches ? 16 : 1;  // the default's
      Request budgeted = request_of("training", Objective::energy, unlimited);
      budgeted.time_budget_s = 1e-3 * slowdown * plan.usual->minibatch_ms[0] / batch;
      const Plan same = plan_of(table, budgeted);
      ASSERT_TRUE(plan.answer && same.answer);
      EXPECT_EQ(plan.answer->choice, same.answer->choice) << seed;
      ASSERT_EQ(plan.margins.size(), 1u);
      EXPECT_EQ(plan.margins[0].binds, same.margins.at(0).binds) << seed;
      EXPECT_NEAR(plan.margins[0].used / plan.margins[0].limit,
                  same.margins[0].used / same.margins[0].limit, 1e-9);
    }
}

TEST(Slowdown, MoreOfItNeverCostsEnergyAndNoneIsNoSlowerThanTheDefault) {
  for (uint64_t seed = 1; seed <= 20; ++seed)
    for (const Phase phase : {Phase::train, Phase::infer}) {
      WorkloadTable table = rough_table(seed);
      table.phase = phase;
      const auto profiler = make_table_profiler(table);
      double least = unlimited;
      for (const double slowdown : {1.0, 1.02, 1.05, 1.2, 1.5, 3.0}) {
        const auto result =
            tune(*profiler, nullptr, request_of("tune", Objective::energy, slowdown));
        ASSERT_TRUE(result.ok() && result->choice) << "the default itself is within it";
        const Configuration& choice = result->configurations[*result->choice];
        const Configuration& usual = result->configurations[result->default_config];
        EXPECT_LE(choice.minibatch_ms, slowdown * usual.minibatch_ms * (1 + 1e-12));
        EXPECT_LE(choice.minibatch_j(), least);
        EXPECT_LE(choice.minibatch_j(), usual.minibatch_j());
        least = choice.minibatch_j();
      }
    }
}

// A service counts requests: larger batches take longer and serve more.
TEST(Slowdown, OfAServiceIsThatOfARequest) {
  const WorkloadTable table = rough_table(5, {1, 4, 16});
  Request request = request_of("inference", Objective::energy, 1.0);
  request.rates_hz = {5};
  const Plan plan = plan_of(table, request);
  ASSERT_TRUE(plan.answer && plan.usual);
  const Candidates& all = *plan.problem->candidates;
  const auto request_ms = [&](const Option& option) {
    return option.minibatch_ms[0] / all.batch(0, option.choice.candidates[0]);
  };
  EXPECT_LE(request_ms(plan.chosen), request_ms(*plan.usual));
  request.slowdown = 20;
  EXPECT_LE(plan_of(table, request).answer->outcome.loss, plan.answer->outcome.loss);
}

// What would do within a power budget is said in percent, and does.
TEST(Slowdown, WhatWouldDoIsSaidInPercentAndHoldsWhenFollowed) {
  size_t followed = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const WorkloadTable table = rough_table(seed);
    const auto profiler = make_table_profiler(table);
    Request request = request_of("tune", Objective::energy, 1.0);
    request.power_budget_w = 0.5 * (table.power_w[0] + *std::ranges::min_element(table.power_w));
    const auto result = tune(*profiler, nullptr, request);
    ASSERT_TRUE(result.ok());
    if (result->choice) continue;
    for (const Advice& advice : result->remedies.alone) {
      if (advice.figure != "slowdown") continue;
      EXPECT_EQ(advice.unit, "%");
      EXPECT_THAT(typed_text(advice), HasSubstr("--at-most slowdown="));
      EXPECT_TRUE(tune(*profiler, nullptr, testing_follow::follow(request, advice))->choice)
          << seed << ": " << typed_text(advice);
      Request tighter = request;
      tighter.slowdown = 1 + 0.0099 * advice.value;
      EXPECT_FALSE(tune(*profiler, nullptr, tighter)->choice) << "and no less does";
      ++followed;
    }
  }
  EXPECT_GT(followed, 5u);
}

TEST(Slowdown, WhatMoreOfItWouldBuyIsSaidOfAPlan) {
  size_t bought = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const WorkloadTable table = rough_table(seed);
    Request request = request_of("training", Objective::energy, 1.05);
    const Plan plan = plan_of(table, request);
    for (const ShadowPrice& price : plan.shadow_prices) {
      const size_t unit = price.what.find(" % more slowdown");
      ASSERT_NE(unit, std::string::npos) << price.what;
      if (!(price.gain_pct > 0)) continue;
      request.slowdown = 1.05 + std::stod(price.what.substr(0, unit)) / 100;
      EXPECT_EQ(plan_of(table, request).answer->outcome.loss, price.option.choice.outcome.loss)
          << price.what;
      ++bought;
    }
  }
  EXPECT_GT(bought, 5u);
}

// A default that first read too slow would allow too much: all of its readings count.
TEST(Slowdown, IsAgainstAllReadingsOfTheDefault) {
  const WorkloadTable table = smooth_table("net");
  const size_t usual = make_table_profiler(table)->default_config();
  LiveTable board(table, [&](size_t config, int before, Measurement& m) {
    if (config == usual && before == 0) m.minibatch_ms *= 1.3;
  });
  Request request = request_of("tune", Objective::energy, 1.05);
  request.strategy = "brute-force";
  const auto result = tune(board, nullptr, request);
  ASSERT_TRUE(result.ok());
  ASSERT_TRUE(result->choice);
  EXPECT_GT(board.measured(usual), 1) << "the default is measured once more";
  EXPECT_LE(result->configurations[*result->choice].minibatch_ms,
            1.05 * result->configurations[usual].minibatch_ms);
}

TEST(Slowdown, WithoutTheDefaultsReadingThereIsNoAnswer) {
  const WorkloadTable table = smooth_table("net");
  const size_t usual = make_table_profiler(table)->default_config();
  LiveTable board(table, [&](size_t config, int, Measurement& m) {
    if (config == usual) m.failure = "out of memory";
  });
  Request request = request_of("tune", Objective::energy, 1.05);
  request.strategy = "flyball";
  const auto result = tune(board, nullptr, request);
  ASSERT_TRUE(result.ok());
  ASSERT_TRUE(result->infeasible);
  EXPECT_EQ(result->infeasible->message,
            "the slowdown is against the default, and the default failed: out of memory");
  EXPECT_EQ(result->profiled.size(), 1u) << "what comes after it would be in vain";
}

// The highest row that is left is not what one gets without tuning.
TEST(Slowdown, OfANarrowedTableItIsRefused) {
  const WorkloadTable table = smooth_table("net");
  const std::vector<AxisChoice> lower = {{"gpu_mhz", {300, 600, 900}, {}}},
                                some = {{"gpu_mhz", {300, 1200}, {}}};
  const Request request = request_of("tune", Objective::energy, 1.05);
  const auto refused = tune(*table_trials(table, lower, {})->profiler, nullptr, request);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message,
              HasSubstr("no row that is chosen is the highest of each board axis"));
  EXPECT_TRUE(tune(*table_trials(table, some, {})->profiler, nullptr, request).ok());
}

TEST(Slowdown, ANarrowedDefaultIsNotCalledMaxn) {
  const WorkloadTable table = smooth_table("net");
  for (const double highest : {900.0, 1200.0}) {
    const std::vector<AxisChoice> axes = {{"gpu_mhz", {300, highest}, {}}};
    Request request = request_of("tune", Objective::time, unlimited);
    request.power_budget_w = 10;  // the default draws more
    const auto result = tune(*table_trials(table, axes, {})->profiler, nullptr, request);
    ASSERT_TRUE(result.ok() && result->choice);
    ASSERT_FALSE(result->default_breaks.empty());
    EXPECT_THAT(
        compare_with_default(*result)->text,
        HasSubstr(highest == 1200 ? "MAXN breaks the power" : "the default breaks the power"));
    EXPECT_EQ(result->default_reason.find("(MAXN)") != std::string::npos, highest == 1200);
  }
}

TEST(Slowdown, WhereThereIsNoDefaultItIsRefused) {
  WorkloadTable table = smooth_table("net");
  WorkloadTable lower = table;
  lower.space = Space(table.space.axes());
  lower.minibatch_ms.clear(), lower.power_w.clear(), lower.provenance.clear();
  const size_t highest = make_table_profiler(table)->default_config();
  for (size_t i = 0; i < table.size(); ++i)
    if (i != highest) lower.add(table.space.row(i), table.minibatch_ms[i], table.power_w[i]);
  const auto profiler = make_table_profiler(lower);
  const auto refused = tune(*profiler, nullptr, request_of("tune", Objective::energy, 1.05));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::invalid_argument);
  EXPECT_THAT(refused.error().message,
              HasSubstr("no row that is chosen is the highest of each board axis"));
}

}  // namespace
}  // namespace flyball
