#include "answers/plan.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "answers/infeasible.h"
#include "answers/json_version.h"
#include "search/registry.h"
#include "search/surface_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;
using testing::Not;

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

// Where no training fits nothing switches, and nothing is said of how to train.
TEST(Plan, WithoutTrainingItIsTheServiceAlone) {
  auto problem = both();
  problem->separate_modes = true;
  problem->switch_ms = 500;       // longer than any window
  problem->budgets.power_w = 10;  // 100 MHz: no training of 60 ms fits into 25 ms
  problem->roles[1].latency_ms = 60;
  const Plan plan = plan_of(problem);
  ASSERT_TRUE(plan.answer);
  EXPECT_EQ(plan.answer->outcome.minibatches, 0);
  const std::string text = format_plan(plan);
  EXPECT_THAT(text, HasSubstr("set gpu_mhz 100; det batch_size 1\n"));
  EXPECT_THAT(text, HasSubstr("det: serve each request as it arrives"));
  EXPECT_THAT(text, HasSubstr("no training fits beside this service within these limits"));
  EXPECT_THAT(text, Not(HasSubstr("0 training minibatches while")));
  problem->objective = Objective::power;
  EXPECT_THAT(format_plan(plan_of(problem)), HasSubstr("no minibatch of net fits between two"));
}

// Of two services of one network each trial says whose it is.
TEST(Plan, TrialsNameTheServiceThatTheyAreOf) {
  auto problem = std::make_shared<Problem>();
  const Space infer =
      Space::grid({named_axis("gpu_mhz", {100, 400}), named_axis("batch_size", {1})});
  problem->candidates = std::make_shared<Candidates>(*Candidates::link({infer, infer}));
  problem->roles = {{"det", Phase::infer, 5, 400}, {"det", Phase::infer, 5, 400}};
  problem->objective = Objective::latency;
  auto strategy = *make_strategy("brute-force", problem, {});
  const Plan plan = plan_over(*strategy, {{{20, 8}, {5, 18}}, {{20, 8}, {5, 18}}});
  std::set<std::string> services;
  const auto answer = to_json(plan);
  for (const auto& trial : answer["profiled"]) services.insert(trial["service"].get<std::string>());
  EXPECT_THAT(services, testing::ElementsAre("the first det", "the second det"));
  EXPECT_THAT(format_plan(plan, true), HasSubstr("\n  the second det "));
}

TEST(Plan, TimesAreOfWholeRunsWhereReadingsAre) {
  Problem problem;
  problem.candidates = both()->candidates;
  problem.roles = {{"net", Phase::train, 0, unlimited}};
  Outcome outcome;
  outcome.loss = 1500;
  EXPECT_EQ(objective_text(problem, outcome), "1500 ms per minibatch");
  EXPECT_EQ(objective_text(problem, outcome, true), "1500 ms per run");
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
  for (const RelaxedLimit& relaxed : why.alone)
    EXPECT_LE(all[0][relaxed.choice[0]].excess, 0) << relaxed.needed;
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

// Both limits of the nearest are told, and do as they are typed.
TEST(Plan, NamesEveryLimitThatMisses) {
  auto problem = both();
  problem->budgets.power_w = 5;
  problem->roles[1].latency_ms = 1;
  const Plan plan = plan_of(problem);
  ASSERT_FALSE(plan.answer);
  EXPECT_THAT(plan.infeasible->message, HasSubstr("the nearest comes to power 20.5 of 5 W, det "
                                                  "latency 5 of 1 ms"));
  EXPECT_THAT(plan.infeasible->hint, HasSubstr("--power-budget 20.5W and --latency 5ms together"));
  const Json together = to_json(plan)["infeasible"]["together"];
  ASSERT_EQ(together.size(), 2u);
  EXPECT_EQ(together[0]["flag"], "--power-budget");
  EXPECT_EQ(together[0]["value"], 20.5);
  EXPECT_EQ(together[1]["flag"], "--latency");
  EXPECT_EQ(together[1]["provenance"], "measured");
  problem->budgets.power_w = 20.5;
  problem->roles[1].latency_ms = 5;
  EXPECT_TRUE(plan_of(problem).answer);
}

// At 5 W alone a service fits, with a training only both limits together: that is not kept silent.
TEST(Plan, WhatLeavesRoomForTrainingIsSaidBesideWhatDoesNot) {
  Problem problem;
  const Space modes = Space::grid({named_axis("gpu_mhz", {100, 200})});
  problem.candidates = std::make_shared<Candidates>(*Candidates::link({modes, modes}));
  problem.roles = {{"net", Phase::train, 0, unlimited}, {"det", Phase::infer, 40, 10}};
  problem.objective = Objective::throughput;
  problem.budgets.power_w = 10;
  const Readings readings = {{{30, 5}, {5, 11}}, {{20, 5}, {11, 11}}};
  auto strategy = *make_strategy("brute-force", std::make_shared<Problem>(problem), {});
  const Plan plan = plan_over(*strategy, readings);
  ASSERT_FALSE(plan.answer);
  EXPECT_EQ(plan.infeasible->hint,
            "try --latency 20ms (measured, with no training), or --power-budget 11W and --latency "
            "11ms together");
  const Json json = to_json(plan)["infeasible"];
  ASSERT_EQ(json["easing"].size(), 1u);
  EXPECT_EQ(json["easing"][0]["trains"], false);
  EXPECT_EQ(json["together"].size(), 2u);
}

/// Two services: each rate counts what the other leaves, and relaxation a latency budget of which
/// the objective is a share is no gain.
// Rates that are too high together fall together, and none to nothing.
TEST(Plan, RatesOfTwoServicesFallByOneFactor) {
  Problem problem = *both();
  for (Role& role : problem.roles) role = {role.workload, Phase::infer, 150, 300};
  problem.objective = Objective::latency;
  problem.budgets.power_w = 5;
  const Plan plan = plan_of(std::make_shared<Problem>(problem));
  ASSERT_FALSE(plan.answer);
  EXPECT_THAT(plan.infeasible->hint,
              testing::MatchesRegex("try --power-budget [0-9.]+W and --rate [1-9][0-9.]+ "
                                    "[1-9][0-9.]+ together"));
}

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
  EXPECT_THAT(text, HasSubstr("10 ms more latency for each would buy nothing"));
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

/// 1 W more than 18 W is not enough for 200 MHz: what would be bought next is said.
TEST(Plan, WhereAStepBuysNothingTheNextThatDoesIsSaid) {
  auto problem = both();
  problem->budgets.power_w = 18;  // 100 MHz alone, which takes 10 W; 20 W would do for 200 MHz
  const Plan plan = plan_of(problem);
  EXPECT_FALSE(plan.margins[0].binds);
  const std::string text = format_plan(plan);
  EXPECT_THAT(text, HasSubstr("1 W more power would buy nothing"));
  EXPECT_THAT(text, HasSubstr("2 W more power would buy 150 %: 25 training minibatches/s"));
}

/// A limit binds that is used up, and without which something better is known.
TEST(Plan, WhatIsUsedUpAndKeepsTheBestOutBinds) {
  auto problem = both();
  const auto power_binds = [&](double budget_w) {
    problem->budgets.power_w = budget_w;
    return plan_of(problem).margins[0].binds;
  };
  EXPECT_TRUE(power_binds(20));
  EXPECT_TRUE(power_binds(20.2));
  EXPECT_FALSE(power_binds(20.3));  // 1 % and a half are left
  EXPECT_FALSE(power_binds(22));    // of which nothing better is kept out
}

/// 200 MHz, with 20 ms a request, serve up to 50/s; whether 100 MHz would serve a tenth less
/// decides.
TEST(Plan, AnArrivalRateBindsByTheSameRule) {
  auto problem = both();
  problem->roles = {{"det", Phase::infer, 49, 400}};
  problem->candidates = std::make_shared<Candidates>(*Candidates::link(
      {Space::grid({named_axis("gpu_mhz", {100, 200, 400}), named_axis("batch_size", {1})})}));
  problem->objective = Objective::power;
  const auto rate_margin = [&](double rate_hz, double second_ms) {
    problem->roles[0].rate_hz = rate_hz;
    auto strategy = *make_strategy("brute-force", problem, {});
    const Plan plan = plan_over(*strategy, {{{second_ms, 8}, {20, 12}, {5, 18}}});
    for (const Margin& margin : plan.margins)
      if (margin.constraint == Constraint::arrival_rate) return margin;
    return Margin{};
  };
  EXPECT_EQ(rate_margin(49.8, 21).used, 49.8);
  EXPECT_TRUE(rate_margin(49.8, 21).binds);   // 21 ms would do at 44.8/s, at less power
  EXPECT_FALSE(rate_margin(49.8, 30).binds);  // 30 ms would not
  EXPECT_FALSE(rate_margin(49, 21).binds);    // 2 % are left
}

TEST(Plan, NothingIsBoughtWhereAllIsKnown) {
  const Plan plan = plan_of(both());
  EXPECT_EQ(plan.coverage, Provenance::measured);
  const auto json = to_json(plan);
  EXPECT_EQ(json["would_buy"][1]["what"], "10 ms more latency");
  EXPECT_EQ(json["would_buy"][1]["gain_pct"], 0);
  EXPECT_EQ(json["would_buy"][1]["provenance"], "measured");
}

/// Three of 40 are measured, and a predictor looks at the rest.
TEST(Plan, WhereTheRestIsPredictedNoGainIsAPrediction) {
  const Plan plan = plan_of_three(100);
  EXPECT_EQ(plan.coverage, Provenance::predicted);
  EXPECT_THAT(format_plan(plan), HasSubstr("  no gain is predicted from 1 W more power\n"));
  EXPECT_THAT(format_plan(plan), Not(HasSubstr("nothing")));
  const auto json = to_json(plan);
  EXPECT_EQ(json["would_buy"][0]["gain_pct"], 0);
  EXPECT_EQ(json["would_buy"][0]["provenance"], "predicted");
}

/// A predictor that is unsure of what the watt would open has no say in it.
TEST(Plan, WhereAGainIsAsLikelyAsThatASearchGoesOnItIsNotKnown) {
  const auto problem = testing_surface::problem({.power_w = 14.5});
  SearchOptions options;
  options.profile_budget = 3;
  options.make_predictor = [] { return std::make_unique<testing_surface::NearestPredictor>(); };
  auto strategy = *make_strategy("random", problem, options);
  const Plan plan = plan_over(*strategy, testing_surface::readings(*problem));
  ASSERT_TRUE(plan.answer);
  EXPECT_EQ(plan.coverage, Provenance::predicted);
  EXPECT_TRUE(std::isnan(plan.shadow_prices[0].gain_pct));
  EXPECT_THAT(format_plan(plan), HasSubstr("  what 1 W more power would buy is not known\n"));
}

TEST(Plan, WithoutAPredictorWhatIsBoughtIsNotKnown) {
  const auto problem = testing_surface::problem({.power_w = 100});
  SearchOptions options;
  options.profile_budget = 3;
  auto strategy = *make_strategy("random", problem, options);
  const Plan plan = plan_over(*strategy, testing_surface::readings(*problem));
  EXPECT_FALSE(plan.coverage);
  EXPECT_THAT(format_plan(plan), HasSubstr("  what 1 W more power would buy is not known\n"));
  const auto json = to_json(plan);
  EXPECT_TRUE(json["would_buy"][0]["gain_pct"].is_null());
  EXPECT_TRUE(json["would_buy"][0]["provenance"].is_null());
  EXPECT_EQ(in_version(json, 1)["would_buy"].size(), 0u);
}

/// At 18 W 100 MHz trains nothing beside batches of 1; 40 minibatches/s need 20.5 W.
TEST(Plan, WhatTrainsNothingIsNoAlternative) {
  auto problem = both();
  problem->roles[1] = {"det", Phase::infer, 40, 100};
  problem->budgets.power_w = 21;
  const auto trains = [](const Option& option) { return option.choice.outcome.loss < 0; };
  const Plan plan = plan_of(problem);
  EXPECT_FALSE(plan.front.empty());
  EXPECT_TRUE(std::ranges::all_of(plan.front, trains));
  problem->budgets.power_w = 18;
  const Plan idle = plan_of(problem);
  EXPECT_FALSE(std::ranges::all_of(idle.front, trains));
  EXPECT_THAT(format_plan(idle), HasSubstr("no training fits beside this service"));
  EXPECT_THAT(std::string(to_json(idle)["comparison"]),
              HasSubstr("no training fits beside this service within these limits"));
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

/// What is only predicted to be better within the limits is said, and no merit of a relaxed limit.
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

/// What a search would not go on for is not told, and what it was not asked about when it stopped
/// is.
TEST(Plan, WhatIsUnmeasuredAndWhyTheSearchStoppedAreOneEstimate) {
  const auto problem = testing_surface::problem({.power_w = 100});
  SearchOptions options;
  options.profile_budget = 3;
  options.make_predictor = [] { return std::make_unique<TruePredictor>(); };
  options.min_gain = 0.9;
  const Readings all = testing_surface::readings(*problem);
  auto contented = *make_strategy("random", problem, options);
  EXPECT_FALSE(plan_over(*contented, all).unmeasured);

  options.min_gain = 0.002;
  EXPECT_TRUE(plan_over(**make_strategy("random", problem, options), all).unmeasured);
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

TEST(Plan, WhatDrawsNobodyKnowsHowMuchHidesNoAlternative) {
  const auto problem = testing_surface::problem({}, Objective::time);
  Readings all = testing_surface::readings(*problem);
  all[0].back().power_w = not_measured;  // the fastest
  const auto plan = plan_over(**make_strategy("brute-force", problem, {}), all);
  EXPECT_GT(plan.front.size(), 5u);
  for (const Option& option : plan.front) EXPECT_GT(option.power_w, 0);
  for (Reading& reading : all[0]) reading.power_w = not_measured;
  const auto blind = plan_over(**make_strategy("brute-force", problem, {}), all);
  ASSERT_EQ(blind.front.size(), 1u) << "without any power there is the fastest alone";
  EXPECT_EQ(blind.front[0].choice.candidates, blind.answer->choice);
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
