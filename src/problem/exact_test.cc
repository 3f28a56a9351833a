#include "problem/exact.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/random.h"
#include "problem/margins.h"
#include "problem/paper.h"
#include "problem/training_beside.h"

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Space modes(std::vector<double> gpu, std::vector<double> batch = {}) {
  std::vector<Axis> axes = {named_axis("gpu_mhz", std::move(gpu))};
  if (!batch.empty()) axes.push_back(named_axis("batch_size", std::move(batch)));
  return Space::grid(std::move(axes));
}

std::shared_ptr<const Candidates> linked(std::vector<Space> spaces) {
  return std::make_shared<Candidates>(*Candidates::link(std::move(spaces)));
}

/// 100, 200, 400 MHz: 40, 20, 10 ms and 10, 15, 30 W.
const std::vector<Reading> training = {{40, 10}, {20, 15}, {10, 30}};

Problem train_problem() {
  Problem problem;
  problem.candidates = linked({modes({100, 200, 400})});
  problem.roles = {{"net", Phase::train, 0, unlimited}};
  return problem;
}

TEST(Exact, FastestWithinPower) {
  Problem problem = train_problem();
  problem.budgets.power_w = 20;
  const Choice best = solve(problem, {training});
  EXPECT_TRUE(best.outcome.feasible);
  EXPECT_THAT(best.candidates, ElementsAre(1));
  EXPECT_EQ(best.outcome.loss, 20);
}

TEST(Exact, AChoiceAtItsLimitIsWithinItForTheSearchAsForTheOutcome) {
  Problem problem = train_problem();
  problem.budgets.power_w = 15 / (1 + 5e-13);  // 15 W, but for its last digits
  const Choice best = solve(problem, {training});
  EXPECT_THAT(best.candidates, ElementsAre(1));
  EXPECT_TRUE(best.outcome.feasible);
}

TEST(Exact, AMeasuredRowOutdoesAPredictedOneOfItsConfiguration) {
  WorkloadTable table;
  table.space = Space(modes({100}).axes());
  const auto add = [&](double ms, double watts, Provenance known) {
    table.add(std::vector<double>{100}, ms, watts, known);
  };
  add(90, 30, Provenance::predicted), add(40, 12, Provenance::measured);
  add(44, 14, Provenance::measured), add(10, 3, Provenance::simulated);
  const WorkloadTable* tables[] = {&table};
  const Readings readings = *readings_of(*linked({modes({100})}), tables);
  EXPECT_DOUBLE_EQ(readings[0][0].minibatch_ms, 42);
  EXPECT_DOUBLE_EQ(readings[0][0].power_w, 13);
}

TEST(Exact, LeastEnergyWithinTime) {
  Problem problem = train_problem();
  problem.objective = Objective::energy;
  EXPECT_THAT(solve(problem, {training}).candidates, ElementsAre(1));  // 0.4, 0.3, 0.3 J: a tie
  problem.budgets.time_ms = 15;
  EXPECT_THAT(solve(problem, {training}).candidates, ElementsAre(2));
}

TEST(Exact, FastestWithinEnergy) {
  Problem problem = train_problem();
  problem.budgets.energy_j = 0.35;
  EXPECT_THAT(solve(problem, {training}).candidates, ElementsAre(2));
  problem.budgets.energy_j = 0.2;
  EXPECT_FALSE(solve(problem, {training}).outcome.feasible);
}

TEST(Exact, BatchSizeAsAnAxisCountsPerSample) {
  Problem problem = train_problem();
  problem.candidates = linked({modes({100}, {8, 16})});
  problem.per_sample = true;
  const Choice best = solve(problem, {{{8, 10}, {12, 11}}});
  EXPECT_THAT(best.candidates, ElementsAre(1));
  EXPECT_DOUBLE_EQ(best.outcome.loss, 0.75);
}

TEST(Exact, InfeasibleSaysWhatBindsAndTheNearestValue) {
  Problem problem = train_problem();
  problem.budgets.power_w = 8;
  const Error error = infeasible_error(problem, {training});
  EXPECT_EQ(error.code, Code::infeasible);
  EXPECT_THAT(error.message, HasSubstr("power budget of 8 W"));
  EXPECT_THAT(error.hint, HasSubstr("10 W"));
}

// Where no limit alone does, each that the nearest choice misses is named with its value.
TEST(Exact, InfeasibleNamesEveryLimitThatMisses) {
  Problem problem = train_problem();
  problem.budgets.power_w = 9;
  problem.budgets.time_ms = 5;
  EXPECT_THAT(infeasible_error(problem, {training}).message,
              HasSubstr("the nearest comes to power 30 of 9 W, net time 10 of 5 ms"));
}

TEST(Margins, AreRoundedSoThatTheyMayBeTyped) {
  EXPECT_EQ(margin_text({Constraint::power, 0, "", 20.3641, 25, "W"}), "power 20.37 of 25 W");
  EXPECT_EQ(margin_text({Constraint::power, 0, "", 20.3641, 20.365, "W"}),
            "power 20.365 of 20.365 W");
  EXPECT_EQ(margin_text({Constraint::latency, 0, "net", 134.018, 100, "ms"}),
            "net latency 134.1 of 100 ms");
  EXPECT_EQ(margin_text({Constraint::arrival_rate, 0, "net", 60, 45.2791, "requests/s"}),
            "net arrival rate 60/s of the 45.27/s that could be sustained");
}

/// Two modes, batch sizes 1 and 4.
Problem serve_problem() {
  Problem problem;
  problem.candidates = linked({modes({100, 400}, {1, 4})});
  problem.roles = {{"net", Phase::infer, 50, 200}};
  problem.objective = Objective::latency;
  return problem;
}
const std::vector<Reading> serving = {{30, 10}, {40, 12}, {8, 20}, {12, 30}};

TEST(Exact, InferenceTakesTheSmallestStableBatch) {
  Problem problem = serve_problem();
  Choice best = solve(problem, {serving});
  EXPECT_THAT(best.candidates, ElementsAre(2));  // a single request waits for none
  EXPECT_DOUBLE_EQ(best.outcome.loss, 8);
  problem.budgets.power_w = 15;  // at 100 MHz a batch of 1 takes 30 ms, one arrives each 20 ms
  best = solve(problem, {serving});
  EXPECT_THAT(best.candidates, ElementsAre(1));
  EXPECT_DOUBLE_EQ(best.outcome.loss, 60 + 40);  // the first of four waits for three more
}

TEST(Exact, ThePapersWaitForAWholeWindow) {
  Problem problem = serve_problem();
  problem.published_wait = true;
  Choice best = solve(problem, {serving});
  EXPECT_THAT(best.candidates, ElementsAre(2));
  EXPECT_DOUBLE_EQ(best.outcome.loss, 20 + 8);
  problem.budgets.power_w = 15;
  best = solve(problem, {serving});
  EXPECT_THAT(best.candidates, ElementsAre(1));
  EXPECT_DOUBLE_EQ(best.outcome.loss, 80 + 40);
  EXPECT_TRUE(
      make_problem(ProblemKind::inference, problem.candidates, problem.roles, {}).published_wait);
}

TEST(Exact, ASingleRequestEachSecondIsServedWithinAFifth) {
  Problem problem = serve_problem();
  problem.roles[0].rate_hz = 1;
  EXPECT_TRUE(validate(problem).ok());
  const Choice best = solve(problem, {serving});
  EXPECT_TRUE(best.outcome.feasible);
  EXPECT_DOUBLE_EQ(best.outcome.loss, 8);
}

TEST(Exact, InferenceNamesTheRateThatWouldBeSustained) {
  Problem problem = serve_problem();
  problem.roles[0].rate_hz = 400;
  problem.budgets.power_w = 25;
  const Error error = infeasible_error(problem, {serving});
  EXPECT_THAT(error.message, HasSubstr("arrival rate of 400/s"));
  EXPECT_THAT(error.hint, HasSubstr("125 requests/s"));
}

// 7.003 ms sustain 142.7959…/s: 142.8 would be refused again.
TEST(Exact, TheRateThatIsPrintedIsSustained) {
  for (const double ms : {7.003, 8.0, 9.1, 11.7, 13.37, 6.6666, 0.37}) {
    Problem problem;
    problem.candidates = linked({modes({400}, {1})});
    problem.roles = {{"net", Phase::infer, 1e5, 2000}};
    problem.objective = Objective::latency;
    const std::vector<Reading> reads = {{ms, 20}};
    const std::string hint = infeasible_error(problem, {reads}).hint;
    const size_t at = hint.find(" requests/s");
    ASSERT_NE(at, std::string::npos) << hint;
    const double rate = std::stod(hint.substr(hint.rfind(' ', at - 1) + 1));
    problem.roles[0].rate_hz = rate;
    EXPECT_TRUE(solve(problem, {reads}).outcome.feasible) << hint;
    EXPECT_GT(rate, 0.999 * 1e3 / ms) << hint;
  }
}

TEST(Exact, ConcurrentFillsTheWindowWithTraining) {
  Problem problem;
  problem.candidates = linked({modes({100, 400}), modes({100, 400}, {1, 4})});
  problem.roles = {{"t", Phase::train, 0, unlimited}, {"i", Phase::infer, 50, 100}};
  problem.objective = Objective::throughput;
  // 400 MHz: batch 4 has a window of 80 ms, 12 ms serve, 6 × 11 ms train: 75/s. Batch 1: one in 20.
  const Readings readings = {{{44, 12}, {11, 31}}, serving};
  Choice best = solve(problem, readings);
  EXPECT_THAT(best.candidates, ElementsAre(1, 3));
  EXPECT_DOUBLE_EQ(objective_value(problem, best.outcome), 75);
  problem.objective = Objective::minibatches;
  EXPECT_EQ(objective_value(problem, solve(problem, readings).outcome), 6);
  problem.budgets.power_w = 15;
  EXPECT_TRUE(solve(problem, readings).outcome.feasible);  // latency 60 + 40
  problem.published_wait = true;
  EXPECT_FALSE(solve(problem, readings).outcome.feasible);  // 80 + 40 > 100
}

/// What is advised beside a service is a limit within which it trains.
TEST(Exact, AConcurrentPlanIsRelaxedSoThatItTrains) {
  Problem problem;
  problem.candidates = linked({modes({100, 400}), modes({100, 400}, {1, 4})});
  problem.roles = {{"t", Phase::train, 0, unlimited}, {"i", Phase::infer, 50, 100}};
  problem.objective = Objective::throughput;
  problem.budgets.power_w = 11;
  // 100 MHz serve four in 40 of 80 ms, and a minibatch of training takes 44.
  const Readings readings = {{{44, 12}, {11, 31}}, serving};
  ASSERT_TRUE(wants_training(problem));
  ASSERT_FALSE(solve(problem, readings).outcome.feasible);
  const auto serves = relaxations(problem, readings);
  ASSERT_FALSE(serves.empty());
  EXPECT_DOUBLE_EQ(serves[0].needed, 12);
  const auto trains = training_relaxations(problem, readings);
  ASSERT_FALSE(trains.empty());
  EXPECT_EQ(trains[0].constraint, Constraint::power);
  EXPECT_DOUBLE_EQ(trains[0].needed, 31);
  EXPECT_THAT(infeasible_error(problem, readings).hint, HasSubstr("31 W"));
  // A rate at which a minibatch fits into each window, too.
  problem.budgets.power_w = 12;
  problem.roles[1].rate_hz = 90;
  for (const Relaxation& one : training_relaxations(problem, readings)) {
    Problem relaxed = problem;
    limit_of(relaxed, one.constraint, one.role) = one.needed;
    EXPECT_GT(outcome_of(relaxed, readings, one.choice).minibatches, 0)
        << constraint_name(one.constraint);
  }
  problem.objective = Objective::power;
  EXPECT_FALSE(wants_training(problem));
}

TEST(Exact, AModeOfItsOwnForEachRolePaysTheSwitches) {
  Problem problem;
  problem.candidates = linked({modes({100, 400}), modes({100, 400}, {1, 4})});
  problem.roles = {{"t", Phase::train, 0, unlimited}, {"i", Phase::infer, 50, 90}};
  problem.objective = Objective::throughput;
  problem.separate_modes = true;
  problem.switch_ms = 1;
  problem.budgets.power_w = 25;
  // Training does better at 100 MHz here, serving at 400 MHz with batch 1 (20 W).
  const Readings readings = {{{5, 12}, {7, 31}}, serving};
  const Choice best = solve(problem, readings);
  EXPECT_THAT(best.candidates, ElementsAre(0, 2));
  EXPECT_DOUBLE_EQ(objective_value(problem, best.outcome), 100);  // 2 per 20 ms: 20 − 8 − 2
  // Within 200 ms serving may wait for batches of 4 at 100 MHz: 8 per 80 ms, at 12 W.
  problem.roles[1].latency_ms = 200;
  EXPECT_THAT(solve(problem, readings).candidates, ElementsAre(0, 1));
}

TEST(Exact, OfEqualLossesTheOneOfLessPowerIsChosen) {
  Problem problem = train_problem();
  EXPECT_THAT(solve(problem, {{{20, 30}, {20, 10}, {20, 15}}}).candidates, ElementsAre(1));
}

TEST(Exact, OfEqualPowerTheFasterTrainingIsChosen) {
  Problem problem = train_problem();
  problem.objective = Objective::power;
  EXPECT_THAT(solve(problem, {{{30, 10}, {20, 10}, {25, 10}}}).candidates, ElementsAre(1));
}

/// Of batches that promise the same training, the one whose window leaves some time.
TEST(Exact, OfEqualTrainingTheOneWithSlackIsChosen) {
  Problem problem;
  problem.candidates = linked({modes({400}), modes({400}, {1, 4})});
  problem.roles = {{"t", Phase::train, 0, unlimited}, {"i", Phase::infer, 50, 200}};
  problem.objective = Objective::throughput;
  // One of 15 ms beside 5 ms in 20 ms, four beside 12 ms in 80 ms: 50 in a second of both.
  const Choice best = solve(problem, {{{15, 20}}, {{5, 10}, {12, 10}}});
  EXPECT_THAT(best.candidates, ElementsAre(0, 1));
  EXPECT_DOUBLE_EQ(objective_value(problem, best.outcome), 50);
  EXPECT_EQ(best.outcome.minibatches, 4);
}

/// The last minibatch of an epoch is a whole one in time.
TEST(Exact, AnEpochOfFewSamplesCountsWholeMinibatches) {
  Problem problem = train_problem();
  problem.candidates = linked({modes({100}, {8, 16})});
  problem.per_sample = true;
  problem.samples = 20;  // three of 8 ms or two of 14 ms, though a sample of 16 is quicker
  problem.budgets.time_ms = 25.0 / 20;
  const Choice best = solve(problem, {{{8, 10}, {14, 11}}});
  EXPECT_THAT(best.candidates, ElementsAre(0));
  EXPECT_DOUBLE_EQ(best.outcome.loss * 20, 24);
}

TEST(Exact, OneModeForBothPaysNoSwitch) {
  Problem problem;
  problem.candidates = linked({modes({100, 400}), modes({100, 400}, {1, 4})});
  problem.roles = {{"t", Phase::train, 0, unlimited}, {"i", Phase::infer, 50, 200}};
  problem.objective = Objective::throughput;
  const Readings readings = {{{5, 12}, {7, 31}}, serving};
  const double shared = objective_value(problem, solve(problem, readings).outcome);
  problem.separate_modes = true;
  problem.switch_ms = 1e3;  // no window is that long: only a shared mode can train
  EXPECT_DOUBLE_EQ(objective_value(problem, solve(problem, readings).outcome), shared);
}

TEST(Exact, TrainingBatchesOfDifferentSizeCountSamples) {
  Problem problem;
  problem.candidates = linked({modes({400}, {8, 32}), modes({400}, {1})});
  problem.roles = {{"t", Phase::train, 0, unlimited}, {"i", Phase::infer, 10, 200}};
  problem.objective = Objective::throughput;
  ASSERT_TRUE(trains_in_several_batches(*problem.candidates, problem.roles));
  const Readings readings = {{{20, 10}, {45, 10}}, {{10, 10}}};
  // 90 ms are left of 100: four of 8 samples or two of 32.
  EXPECT_THAT(solve(problem, readings).candidates, ElementsAre(0, 0));
  problem.per_sample = true;
  const Choice best = solve(problem, readings);
  EXPECT_THAT(best.candidates, ElementsAre(1, 0));
  EXPECT_DOUBLE_EQ(objective_value(problem, best.outcome), 640);
}

TEST(Exact, InfeasibleServicesAreRelaxedOneByOne) {
  Problem problem;
  problem.candidates = linked({modes({400}, {1}), modes({400}, {1})});
  problem.roles = {{"a", Phase::infer, 50, 25}, {"b", Phase::infer, 20, 2000}};
  problem.objective = Objective::latency;
  problem.published_wait = true;
  const Readings readings = {{{8, 20}}, {{10, 20}}};
  Error error = infeasible_error(problem, readings);  // 20 + 18 ms are more than 25
  EXPECT_THAT(error.message, HasSubstr("what binds: a's latency budget of 25 ms"));
  EXPECT_THAT(error.hint, testing::StrEq("any one of: a latency of 38 ms for a would do"));
  problem.roles[0].latency_ms = 2000;
  problem.roles[1].rate_hz = 100;  // 8 · 50 + 10 · 100 ms are more than a second
  error = infeasible_error(problem, readings);
  EXPECT_THAT(error.message, testing::Not(HasSubstr("a's")));  // no rate of a leaves b enough
  EXPECT_THAT(error.hint, HasSubstr("60 requests/s for b would be sustained"));
}

TEST(Validate, ObjectivesWithoutAnEquationAreNamed) {
  Problem alone = train_problem();
  alone.objective = Objective::throughput;
  EXPECT_THAT(validate(alone).error().message, HasSubstr("'throughput'"));
  EXPECT_THAT(validate(alone).error().hint, testing::StrEq("one of: time, energy, power"));
  Problem beside;
  beside.candidates = linked({modes({100}), modes({100}, {1})});
  beside.roles = {{"t", Phase::train, 0, unlimited}, {"i", Phase::infer, 50, 200}};
  for (const Objective objective : {Objective::latency, Objective::time, Objective::energy}) {
    beside.objective = objective;
    EXPECT_FALSE(validate(beside).ok());
  }
  beside.objective = Objective::power;
  EXPECT_TRUE(validate(beside).ok());
  beside.switch_ms = -1;
  EXPECT_THAT(validate(beside).error().hint, HasSubstr("zero or more"));
}

TEST(Exact, TwoInferencesShareTheBoard) {
  Problem problem;
  problem.candidates = linked({modes({100, 400}, {1, 4}), modes({100, 400}, {1, 4})});
  problem.roles = {{"a", Phase::infer, 50, 120}, {"b", Phase::infer, 20, 300}};
  problem.objective = Objective::latency;
  const Choice best = solve(problem, {serving, serving});
  EXPECT_TRUE(best.outcome.feasible);
  EXPECT_THAT(best.candidates, ElementsAre(2, 2));
  EXPECT_DOUBLE_EQ(best.outcome.loss, 16 / 120.0);
  problem.roles[0].rate_hz = 100;  // busy 8/10 + 8/50 > 0.9 is fine, 125 is not
  EXPECT_TRUE(solve(problem, {serving, serving}).outcome.feasible);
}

TEST(Candidates, OnlySharedModesAndEachOnce) {
  Space twice = modes({100, 200});
  twice.add(std::vector<double>{100});
  const auto all = Candidates::link({twice, modes({200, 300})});
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->mode_count(), 1u);
  EXPECT_EQ(all->size(0), 1u);
  EXPECT_FALSE(Candidates::link({modes({100}), modes({300})}).ok());
  EXPECT_EQ(Candidates::link({twice})->size(0), 2u);
}

TEST(Validate, NamesWhatCannotBe) {
  Problem problem = serve_problem();
  EXPECT_TRUE(validate(problem).ok());
  problem.roles[0].rate_hz = 0;
  EXPECT_THAT(validate(problem).error().message, HasSubstr("arrival rate"));
  problem.published_wait = true;
  problem.roles[0].rate_hz = 4;  // a request each 250 ms, and 200 ms allowed
  EXPECT_EQ(validate(problem).error().code, Code::infeasible);
  problem = train_problem();
  problem.budgets.power_w = -1;
  EXPECT_THAT(validate(problem).error().message, HasSubstr("power budget"));
  problem = train_problem();
  problem.objective = Objective::throughput;
  EXPECT_FALSE(validate(problem).ok());
}

TEST(Validate, BudgetsThatBoundNothingAreRefused) {
  for (double Budgets::*budget : {&Budgets::time_ms, &Budgets::energy_j}) {
    Problem alone = serve_problem();
    alone.budgets.*budget = 5;
    EXPECT_THAT(validate(alone).error().message, HasSubstr("bounds nothing"));
    Problem beside;
    beside.candidates = linked({modes({100}), modes({100}, {1})});
    beside.roles = {{"t", Phase::train, 0, unlimited}, {"i", Phase::infer, 50, 200}};
    beside.objective = Objective::throughput;
    EXPECT_TRUE(validate(beside).ok());
    beside.budgets.*budget = 5;
    EXPECT_THAT(validate(beside).error().message, HasSubstr("bounds nothing"));
    Problem trained = train_problem();
    trained.budgets.*budget = 5;
    EXPECT_TRUE(validate(trained).ok());
  }
}

// (P·t + P_idle·(w − t))/(1000·bs), spelled out here for every choice; limits, too.
TEST(Exact, EnergyOfARequestCountsIdlePowerAsBruteForceDoes) {
  Random random(7);
  size_t answered = 0, other_answers = 0;
  for (int round = 0; round < 300; ++round) {
    const std::vector<double> batches = {1, 4, 16};
    Problem problem;
    problem.candidates = linked({modes({100, 200, 300, 400}, batches)});
    problem.objective = Objective::energy;
    problem.roles = {{"net", Phase::infer, random.uniform(5, 60), random.uniform(100, 900)}};
    problem.budgets.power_w = random.uniform(15, 40);
    const Candidates& all = *problem.candidates;
    Readings readings(1);
    for (size_t i = 0; i < all.size(0); ++i)
      readings[0].push_back(
          {random.uniform(5, 40) * std::sqrt(all.batch(0, i)), random.uniform(10, 40)});
    const Choice without = solve(problem, readings);
    for (size_t m = 0; m < all.mode_count(); ++m) problem.idle_w.push_back(random.uniform(2, 9));
    double least = unlimited;
    size_t best = 0;
    for (size_t i = 0; i < all.size(0); ++i) {
      const double bs = all.batch(0, i), rate = problem.roles[0].rate_hz;
      const double t = readings[0][i].minibatch_ms, p = readings[0][i].power_w, w = 1e3 * bs / rate;
      const bool feasible = p <= problem.budgets.power_w && t <= w &&
                            1e3 * (bs - 1) / rate + t <= problem.roles[0].latency_ms;
      const double joules = (p * t + problem.idle_w[all.mode_of(0, i)] * (w - t)) / (1000 * bs);
      if (feasible && joules < least) least = joules, best = i;
    }
    const Choice found = solve(problem, readings);
    ASSERT_EQ(found.outcome.feasible, least != unlimited);
    if (!found.outcome.feasible) continue;
    ++answered;
    EXPECT_THAT(found.candidates, ElementsAre(best));
    EXPECT_NEAR(found.outcome.loss, least, 1e-12 * least);
    other_answers += without.candidates != found.candidates ? 1 : 0;
  }
  EXPECT_GT(answered, 200u);
  EXPECT_GT(other_answers, 50u);  // idle power decides: these draws would be answered otherwise
}

TEST(Exact, AModeWithoutIdlePowerIsNoAnswerWhereItCounts) {
  Problem problem = serve_problem();
  problem.objective = Objective::energy;
  problem.roles[0].rate_hz = 10;
  problem.idle_w = {not_measured, 5};
  const Readings readings = {{{10, 10}, {20, 10}, {10, 30}, {20, 30}}};
  const Choice found = solve(problem, readings);
  ASSERT_TRUE(found.outcome.feasible);
  EXPECT_EQ(problem.candidates->mode_of(0, found.candidates[0]), 1u);
}

}  // namespace
}  // namespace flyball
