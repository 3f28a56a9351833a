#include "answers/plan.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "answers/infeasible.h"
#include "answers/json_version.h"
#include "search/registry.h"
#include "search/surface_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;

/// 100, 200, 400 MHz; training 60, 30, 15 ms; serving batches of 1 and 8.
std::shared_ptr<Problem> both() {
  auto problem = std::make_shared<Problem>();
  const Space train = Space::grid({named_axis("gpu_mhz", {100, 200, 400})});
  const Space infer =
      Space::grid({named_axis("gpu_mhz", {100, 200, 400}), named_axis("batch_size", {1, 8})});
  problem->candidates = std::make_shared<Candidates>(*Candidates::link({train, infer}));
  problem->roles = {{"net", Phase::train, 0, unlimited}, {"det", Phase::infer, 40, 400}};
  problem->objective = Objective::throughput;
  problem->budgets.power_w = 20;
  return problem;
}
const Readings tabled = {{{60, 10}, {30, 20}, {15, 20.5}},
                         {{20, 8}, {80, 9}, {10, 12}, {40, 14}, {5, 18}, {20, 22}}};

/// Searches over known readings.
Plan plan_over(Strategy& strategy, const Readings& readings,
               Provenance provenance = Provenance::measured) {
  SearchAnswer found;
  found.workloads.resize(strategy.problem().roles.size());
  while (const auto ask = strategy.ask()) {
    Observation trial;
    trial.role = ask->role;
    trial.config = trial.candidate = ask->candidate;
    trial.measurement.provenance = provenance;
    found.profiled.push_back(std::move(trial));
    strategy.tell(*ask, readings[ask->role][ask->candidate]);
  }
  found.profiles = strategy.history().profiles();
  found.stopped = strategy.stopped();
  found.notes = strategy.notes();
  return draw_plan(strategy, std::move(found));
}

Plan plan_of(std::shared_ptr<const Problem> problem) {
  auto strategy = *make_strategy("brute-force", std::move(problem), {});
  return plan_over(*strategy, tabled);
}

TEST(Plan, ConcurrentReadsAsAdvice) {
  const Plan plan = plan_of(both());
  ASSERT_TRUE(plan.answer);
  // 200 MHz, batches of 8: 200 ms window, 40 ms serving, 5 × 30 ms training.
  EXPECT_DOUBLE_EQ(objective_value(*plan.problem, plan.answer->outcome), 25);
  const std::string text = format_plan(plan);
  EXPECT_THAT(text, HasSubstr("set gpu_mhz 200; det batch_size 8"));
  EXPECT_THAT(text, HasSubstr("every 200 ms: 5 training minibatches while 8 requests gather"));
  EXPECT_THAT(text, HasSubstr("power 20 of 20 W  (binds)"));
  EXPECT_THAT(text, HasSubstr("latency 215 of 400 ms\n"));
  EXPECT_THAT(text, HasSubstr("arrival rate 40/s of the 200/s that could be sustained"));
  EXPECT_THAT(text, HasSubstr("10 ms more latency would buy nothing"));
  // 400 MHz with batches of 1 is within 21 W: one of 15 ms in each 25 ms.
  EXPECT_THAT(text, HasSubstr("1 W more power would buy 60 %: 40 training minibatches/s"));
  EXPECT_THAT(text, HasSubstr("9 trials"));
}

TEST(Plan, JsonHoldsTheSame) {
  const auto plan = to_json(plan_of(both()));
  EXPECT_EQ(plan["choice"]["value"], 25);
  EXPECT_EQ(plan["choice"]["roles"][1]["config"]["batch_size"], 8);
  EXPECT_EQ(plan["choice"]["provenance"], "measured");
  EXPECT_EQ(plan["limits"][0]["constraint"], "power");
  EXPECT_EQ(plan["profiled"].size(), 9u);
  EXPECT_GE(plan["front"].size(), 2u);
}

// Quick enough are only those in which the program's own figure breaks.
TEST(Plan, WhatBreaksAFigureIsNotPredictedToDo) {
  Budgets budgets;
  budgets.time_ms = 59;
  const auto problem = testing_surface::problem(budgets, Objective::power, 2);
  Readings all = testing_surface::readings(*problem);
  const Space& rows = problem->candidates->space(0);
  for (size_t i = 0; i < rows.size(); ++i) all[0][i].excess = rows.row(i)[1] / 600 - 1;
  SearchOptions options;
  options.profile_budget = 10;
  options.make_predictor = [] { return std::make_unique<testing_surface::NearestPredictor>(); };
  auto strategy = *make_strategy("flyball", problem, options);
  const Plan plan = plan_over(*strategy, all);
  ASSERT_FALSE(plan.answer);
  const Infeasibility why = explain_infeasible(*strategy);
  EXPECT_EQ(why.predicted, 0u);
  for (const EasedLimit& eased : why.eased)
    EXPECT_LE(all[0][eased.choice[0]].excess, 0) << eased.needed;
}

TEST(Plan, SaysWhyThereIsNone) {
  auto problem = both();
  problem->budgets.power_w = 5;
  const Plan plan = plan_of(problem);
  EXPECT_FALSE(plan.answer);
  EXPECT_THAT(plan.infeasible->message, HasSubstr("power budget of 5 W"));
  EXPECT_THAT(plan.infeasible->message, HasSubstr("none of all 6 meets the limits"));
  EXPECT_EQ(plan.infeasible->hint, "try --power-budget 10W (measured)");
  const auto json = to_json(plan);
  EXPECT_EQ(json["infeasible"]["reason"], plan.infeasible->message);
  EXPECT_EQ(in_version(json, 1)["error"]["code"], "infeasible");
  ASSERT_EQ(json["infeasible"]["easing"].size(), 1u);
  EXPECT_EQ(json["infeasible"]["easing"][0]["flag"], "--power-budget");
  EXPECT_EQ(json["infeasible"]["easing"][0]["value"], 10);
  EXPECT_EQ(json["infeasible"]["easing"][0]["unit"], "W");
  EXPECT_EQ(json["infeasible"]["easing"][0]["provenance"], "measured");
}

/// Two services: each rate counts what the other leaves, and relaxation a latency budget of which
/// the objective is a share is no gain.
TEST(Plan, TwoServicesShareTheTime) {
  auto problem = both();
  problem->roles = {{"net", Phase::infer, 10, 400}, {"det", Phase::infer, 20, 400}};
  problem->objective = Objective::latency;
  problem->budgets.power_w = 21;
  const Plan plan = plan_of(problem);
  ASSERT_TRUE(plan.answer);
  const std::string text = format_plan(plan);
  // 400 MHz, batches of 1: 15 ms · 10/s and 5 ms · 20/s.
  EXPECT_THAT(text, HasSubstr("net latency 20 of 400 ms\n"));
  EXPECT_THAT(text, HasSubstr("net arrival rate 10/s of the 60/s that could be sustained\n"));
  EXPECT_THAT(text, HasSubstr("det arrival rate 20/s of the 170/s that could be sustained\n"));
  EXPECT_THAT(text, HasSubstr("10 ms more latency would buy nothing"));
}

/// Predicts the surface as it is, so that what is better than the answer is known.
class TruePredictor : public testing_surface::NearestPredictor {
 public:
  Result<Prediction> predict(const Space& rows) const override {
    Prediction all;
    for (size_t i = 0; i < rows.size(); ++i) {
      add(all.minibatch_ms, testing_surface::time_ms(rows.row(i)));
      add(all.power_w, testing_surface::power_w(rows.row(i)));
    }
    all.extrapolated.assign(rows.size(), false);
    return all;
  }

 private:
  static void add(Estimates& to, double value) {
    to.mean.push_back(value);
    to.lo90.push_back(0.99 * value);
    to.hi90.push_back(1.01 * value);
  }
};

/// Three modes at random within 100 W, which bind nowhere or, less than the least, everywhere.
Plan plan_of_three(double power_w) {
  const auto problem = testing_surface::problem({.power_w = power_w});
  const Readings all = testing_surface::readings(*problem);
  SearchOptions options;
  options.profile_budget = 3;
  options.make_predictor = [] { return std::make_unique<TruePredictor>(); };
  auto strategy = *make_strategy("random", problem, options);
  return plan_over(*strategy, all);
}

/// 20 W bind, and 1 W more is not enough for 400 MHz: what would be bought next is said.
TEST(Plan, ALimitThatBindsSaysWhatWouldBuySomething) {
  auto problem = both();
  problem->budgets.power_w = 18;  // 100 MHz alone; 20 W would do for 200 MHz
  const Plan plan = plan_of(problem);
  ASSERT_TRUE(plan.margins[0].binds);
  const std::string text = format_plan(plan);
  EXPECT_THAT(text, HasSubstr("1 W more power would buy nothing"));
  EXPECT_THAT(text, HasSubstr("2 W more power would buy 150 %: 25 training minibatches/s"));
}

TEST(Plan, AGainOverNothingIsNoPercentage) {
  auto problem = both();
  problem->budgets.power_w = 18;
  problem->roles[1] = {"det", Phase::infer, 40, 100};  // 100 MHz, batches of 1: 5 of 25 ms are left
  const Plan plan = plan_of(problem);
  ASSERT_TRUE(plan.answer);
  ASSERT_EQ(objective_value(*plan.problem, plan.answer->outcome), 0);
  const std::string text = format_plan(plan);
  EXPECT_THAT(text, HasSubstr(" W more power would buy 40 training minibatches/s at "));
  EXPECT_THAT(text, Not(HasSubstr("would buy 100 %")));
}

TEST(Plan, ATablesReadingsAreTabled) {
  auto strategy = *make_strategy("brute-force", both(), {});
  const Plan plan = plan_over(*strategy, tabled, Provenance::table);
  const auto json = to_json(plan);
  EXPECT_EQ(json["choice"]["provenance"], "table");
  EXPECT_EQ(json["profiled"][0]["provenance"], "table");
  EXPECT_THAT(format_plan(plan), testing::Not(HasSubstr("(measured)")));
}

/// What is only predicted to be better within the limits is said, and no merit of an eased limit.
TEST(Plan, AnUnmeasuredBetterChoiceIsToldApart) {
  const Plan plan = plan_of_three(100);
  ASSERT_EQ(plan.margins.size(), 1u);
  EXPECT_FALSE(plan.margins[0].binds);
  EXPECT_EQ(plan.shadow_prices[0].gain_pct, 0);
  ASSERT_TRUE(plan.unmeasured);
  EXPECT_EQ(plan.unmeasured->option.provenance, Provenance::predicted);
  const double best = 400.0 / 8 + 6000.0 / 1000;  // everything at its highest
  EXPECT_NEAR(plan.unmeasured->gain_pct, 100 * (1 - best / plan.answer->outcome.loss), 1e-9);
  EXPECT_GT(plan.unmeasured->gain_pct, 1);
  EXPECT_DOUBLE_EQ(to_json(plan)["unmeasured"]["gain_pct"], plan.unmeasured->gain_pct);
  EXPECT_THAT(format_plan(plan), HasSubstr("cpu_cores 8, gpu_mhz 1000"));
}

TEST(Plan, WithEverythingMeasuredNothingIsUnmeasured) {
  const Plan plan = plan_of(both());
  EXPECT_FALSE(plan.unmeasured);
  EXPECT_TRUE(to_json(plan)["unmeasured"].is_null());
}

TEST(Plan, ALongFrontIsCutAroundTheBudget) {
  const auto problem = testing_surface::problem({.power_w = 12}, Objective::time, 10);
  const Readings all = testing_surface::readings(*problem);
  auto strategy = *make_strategy("brute-force", problem, {});
  const Plan plan = plan_over(*strategy, all);
  ASSERT_EQ(plan.front.size(), 12u);
  EXPECT_LT(plan.front.front().power_w, 12);
  EXPECT_GT(plan.front.back().power_w, 12);
  EXPECT_TRUE(std::ranges::any_of(plan.front, [&](const Option& option) {
    return option.choice.candidates == plan.answer->choice;
  }));
}

TEST(Plan, PowerIsToldWithoutABudgetToo) {
  auto problem = both();
  problem->budgets.power_w = unlimited;
  EXPECT_EQ(to_json(plan_of(problem))["choice"]["power_w"], 22);
}

/// A watt more would open 8 cores at 500 MHz (15.3 W), which nobody measured.
TEST(Plan, PredictionsAreMarked) {
  const Plan plan = plan_of_three(14.5);
  ASSERT_TRUE(plan.answer);
  ASSERT_EQ(plan.shadow_prices.size(), 1u);
  for (const Option& option : plan.front) EXPECT_EQ(option.provenance, Provenance::measured);
  ASSERT_GT(plan.shadow_prices[0].gain_pct, 0);
  EXPECT_EQ(plan.shadow_prices[0].option.provenance, Provenance::predicted);
  EXPECT_THAT(format_plan(plan), HasSubstr("(predicted, not measured)"));
}

}  // namespace
}  // namespace flyball
