#include "schedule/planning/arrival_plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "base/figure.h"
#include "problem/choices.h"
#include "problem/paper.h"
#include "schedule/planning/arrival_miss.h"
#include "schedule/planning/preference_front.h"
#include "schedule/planning/replanner.h"
#include "schedule/planning/serving_evaluation.h"

namespace flyball {
namespace {

using ::testing::HasSubstr;

/// A board of ten clocks: time ∝ 1/clock, power grows with its cube.
WorkloadTable board_table(Phase phase) {
  WorkloadTable table;
  table.device = "board";
  table.workload = phase == Phase::train ? "learn" : "net";
  table.phase = phase;
  table.power_total = "module";
  table.space = Space({named_axis("gpu_mhz"), named_axis("batch_size")});
  const std::vector<double> batches =
      phase == Phase::train ? std::vector<double>{16} : std::vector<double>{1, 4, 16, 32};
  for (int step = 1; step <= 10; ++step)
    for (const double batch : batches) {
      const double clock = 100.0 * step, speed = step / 10.0;
      const double work_ms = phase == Phase::train ? 30 : 4 + 0.8 * batch;
      table.add(std::vector<double>{clock, batch}, work_ms / speed, 8 + 20 * speed * speed * speed);
    }
  return table;
}

struct Ground {
  explicit Ground(const ProblemSpec& spec)
      : train(board_table(Phase::train)), infer(board_table(Phase::infer)) {
    candidates = std::make_shared<const Candidates>(*Candidates::link({train.space, infer.space}));
    const std::array<const WorkloadTable*, 2> tables = {&train, &infer};
    readings = *readings_of(*candidates, tables);
    problem =
        make_problem(ProblemKind::concurrent, candidates, {role_of(train), role_of(infer)}, spec);
  }
  ServingProblem live() const { return {&problem, &readings}; }
  WorkloadTable train, infer;
  std::shared_ptr<const Candidates> candidates;
  Readings readings;
  Problem problem;
};

// The search ends early by a bound: what it finds is what trying everything finds.
TEST(ArrivalPlan, IsTheBestOfAllChoicesThatKeepThePercentile) {
  size_t solved = 0;
  for (const double power : {12.0, 18.0, 28.0})
    for (const double latency : {120.0, 300.0, 900.0}) {
      const Ground ground({{power, unlimited, unlimited}, latency, 60});
      ArrivalPlanner planner(ground.live(), {poisson_arrivals(60)}, {.requests = 2000});
      const auto plan = planner.plan(power);
      double best = -1;
      for (size_t t = 0; t < ground.candidates->size(0); ++t)
        for (size_t i = 0; i < ground.candidates->size(1); ++i) {
          if (ground.candidates->mode_of(0, t) != ground.candidates->mode_of(1, i)) continue;
          const std::vector<size_t> choice = {t, i};
          if (!(ground.live().power_w(choice) <= power) || !planner.in_time(choice)) continue;
          best = std::max(best, planner.simulated(choice).trainings_per_s);
        }
      ASSERT_EQ(plan.has_value(), best >= 0) << power << " W, " << latency << " ms";
      if (plan) {
        EXPECT_EQ(plan->trainings_per_s, best) << power << " W, " << latency << " ms";
        ++solved;
      }
    }
  EXPECT_GE(solved, 6u);
}

// One thing is said of requests: where more are refused or late than may be, the percentile is not
// met either.
TEST(ArrivalPlan, LatencyAtThePercentileCountsWhoIsRefused) {
  const Ground ground({{unlimited, unlimited, unlimited}, 30, 60});
  ArrivalPlanner planner(ground.live(), {poisson_arrivals(60)}, {.requests = 2000});
  size_t kept = 0, missed = 0;
  for (size_t i = 0; i < ground.candidates->size(1); ++i) {
    const size_t mode = ground.candidates->mode_of(1, i);
    const SimulatedChoice run =
        planner.worse_of_two(std::vector{*ground.candidates->first_of(0, mode), i});
    const bool in_time = run.late_share <= 0.01;
    EXPECT_EQ(run.p99_ms <= 30, in_time) << run.p99_ms << " ms, late " << run.late_share;
    (in_time ? kept : missed) += 1;
  }
  EXPECT_GT(kept, 0u);
  EXPECT_GT(missed, 0u);
}

// Few requests decide a high percentile: those of one run could all be lucky.
TEST(ArrivalPlan, KeepsAHighPercentileInBothRuns) {
  size_t planned = 0;
  for (double latency = 60; latency < 260; latency += 10) {
    const Ground ground({{14, unlimited, unlimited}, latency, 100});
    ArrivalPlanner planner(ground.live(), {poisson_arrivals(100)},
                           {.percentile = 99.9, .requests = 2000});
    const auto plan = planner.plan(14);
    if (!plan) continue;
    ++planned;
    EXPECT_LE(planner.worse_of_two(plan->choice).late_share, 0.001 + 1e-12) << latency;
  }
  EXPECT_GE(planned, 5u);
}

// However far below what is possible the budget lies, it is the budget that is eased.
TEST(ArrivalPlan, ABudgetOfAMicrosecondIsEasedAsOneOfAMillisecondIs) {
  const auto enough_of = [](double latency_ms) {
    const Ground ground({{unlimited, unlimited, unlimited}, latency_ms, 20});
    const ArrivalPlanner planner(ground.live(), {poisson_arrivals(20)}, {.requests = 2000});
    return planner.least_latency(unlimited, 1);
  };
  const auto of_little = enough_of(1e-3), of_more = enough_of(1);
  ASSERT_TRUE(of_little && of_more);
  EXPECT_NEAR(of_little->latency_ms / of_more->latency_ms, 1, 0.01);
}

// What would do without a training does not do beside one.
TEST(ArrivalPlan, WhatIsAdvisedTrains) {
  const Ground ground({{unlimited, unlimited, unlimited}, 6, 150});
  ArrivalPlanner planner(ground.live(), {poisson_arrivals(150)}, {.requests = 2000});
  ASSERT_FALSE(planner.plan(unlimited));
  EXPECT_FALSE(planner.highest_rate(unlimited, 0, ArrivalPlanner::few));  // 6 ms hold no training
  const auto enough = planner.least_latency(unlimited, 1);
  ASSERT_TRUE(enough);
  EXPECT_GE(enough->latency_ms, 30 + 4.8);  // a training minibatch and an answer
  const Ground relaxed({{unlimited, unlimited, unlimited}, enough->latency_ms, 150});
  ArrivalPlanner again(relaxed.live(), {poisson_arrivals(150)}, {.requests = 2000});
  const auto plan = again.plan(unlimited);
  ASSERT_TRUE(plan);
  EXPECT_GT(plan->trainings_per_s, 0);
}

// The latency at the percentile is no limit to ask for; what is told to be kept is.
TEST(ArrivalPlan, TheTightestLimitThatAChoiceKeepsMayBeAskedFor) {
  Ground ground({{28, unlimited, unlimited}, 80, 100});
  ArrivalPlanner planner(ground.live(), {poisson_arrivals(100)}, {.requests = 2000});
  const auto plan = planner.plan(28);
  ASSERT_TRUE(plan);
  const std::vector<double> kept_ms = planner.tightest_ms(plan->choice);
  ASSERT_EQ(kept_ms.size(), 1u);
  EXPECT_LT(kept_ms[0], 80);
  const auto in_time = [&](double latency_ms) {
    ground.problem.roles[1].latency_ms = latency_ms;
    ArrivalPlanner own(ground.live(), {poisson_arrivals(100)}, {.requests = 2000});
    return own.in_time(plan->choice) && own.simulated(plan->choice).trainings_per_s > 0;
  };
  EXPECT_TRUE(in_time(kept_ms[0]));
  EXPECT_FALSE(in_time(0.97 * kept_ms[0]));
}

// As a power of so many mW loses its last digit, a budget of what the plan draws allows the plan.
TEST(ArrivalPlan, ABudgetOfItsOwnPowerAllowsIt) {
  Ground ground({{18, unlimited, unlimited}, 150, 60});
  const auto plan = [&](double power_w) {
    ArrivalPlanner planner(ground.live(), {poisson_arrivals(60)}, {.requests = 2000});
    return planner.plan(power_w);
  };
  const auto best = plan(18);
  ASSERT_TRUE(best);
  const double just = std::nextafter(ground.live().power_w(best->choice), 0);
  const auto again = plan(just);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->choice, best->choice);
  ground.problem.budgets.power_w = just;
  ArrivalPlanner planner(ground.live(), {poisson_arrivals(60)}, {.requests = 2000});
  const auto more = planner.least_power(just);
  EXPECT_TRUE(!more || more->power_w > 1.0001 * just) << "what keeps the budget needs no more";
}

TEST(ArrivalPlan, AHigherPercentileTrainsLessWhereSomeAreLate) {
  const Ground ground({{12, unlimited, unlimited}, 80, 200});
  ArrivalPlanner loose(ground.live(), {poisson_arrivals(200)}, {.percentile = 90});
  ArrivalPlanner tight(ground.live(), {poisson_arrivals(200)}, {.percentile = 99.9});
  const auto most = loose.plan(12), least = tight.plan(12);
  ASSERT_TRUE(most && least);
  EXPECT_LT(least->trainings_per_s, most->trainings_per_s);
  EXPECT_GT(most->late_share, 0.001) << "what may be late is made use of";
  EXPECT_LE(least->late_share, 0.001);
}

TEST(ArrivalPlan, NothingIsSimulatedOnceItIsStopped) {
  const Ground ground({{20, unlimited, unlimited}, 150, 60});
  const std::atomic<bool> stop{true};
  ArrivalPlanner planner(ground.live(), {poisson_arrivals(60)}, {.stop = &stop});
  EXPECT_FALSE(planner.plan(20));
  EXPECT_EQ(planner.simulations(), 0u);
}

TEST(ArrivalPlan, WhatMayNotBeThePlanIsNot) {
  const Ground ground({{20, unlimited, unlimited}, 150, 60});
  ArrivalPlanner any(ground.live(), {poisson_arrivals(60)}, {});
  const auto best = any.plan(20);
  ASSERT_TRUE(best);
  ArrivalPlanner others(
      ground.live(), {poisson_arrivals(60)},
      {.allowed = [&](std::span<const size_t> choice) { return choice[0] != best->choice[0]; }});
  const auto other = others.plan(20);
  ASSERT_TRUE(other);
  EXPECT_NE(other->choice[0], best->choice[0]);
  EXPECT_LE(other->trainings_per_s, best->trainings_per_s);
}

// What is told would do, and less would not.
TEST(ArrivalMiss, TellsThePowerThatWouldDo) {
  const Ground ground({{9, unlimited, unlimited}, 120, 300});
  ArrivalPlanner planner(ground.live(), {poisson_arrivals(300)}, {.requests = 2000});
  ASSERT_FALSE(planner.plan(9));
  const auto enough = planner.least_power(9);
  ASSERT_TRUE(enough);
  EXPECT_GT(enough->power_w, 9);
  EXPECT_TRUE(planner.plan(enough->power_w));
  EXPECT_FALSE(planner.plan(enough->power_w - 1e-6));
  const Error error = no_arrival_plan(planner, ground.problem, 99, 9).why_not;
  EXPECT_THAT(error.message, HasSubstr(fmt::format("as simulated it takes {:g} W (",
                                                   rounded(enough->power_w, 3, true))));
  EXPECT_THAT(error.message, HasSubstr("and 9 W are allowed"));
}

TEST(ArrivalMiss, TellsTheNearestWherePowerIsNoHelp) {
  const Ground ground({{unlimited, unlimited, unlimited}, 7, 60});
  ArrivalPlanner planner(ground.live(), {poisson_arrivals(60)}, {.requests = 2000});
  ASSERT_FALSE(planner.plan(unlimited));
  EXPECT_FALSE(planner.least_power(unlimited));
  const auto nearest = planner.nearest(unlimited);
  ASSERT_TRUE(nearest);
  EXPECT_GT(nearest->late_share, 0.01);
  EXPECT_THAT(no_arrival_plan(planner, ground.problem, 99, unlimited).why_not.message,
              HasSubstr(fmt::format("answers {:.3g} %", 100 * (1 - nearest->late_share))));
}

// The latency that is advised is typed as said, and trains; a little less does not, of any choice.
TEST(ArrivalMiss, AdvisesTheLeastLatencyThatDoes) {
  Ground ground({{12, unlimited, unlimited}, 15, 60});
  ArrivalPlanner planner(ground.live(), {poisson_arrivals(60)}, {.requests = 2000});
  const auto advice = no_arrival_plan(planner, ground.problem, 99, 12).remedies.alone;
  const auto latency = std::ranges::find(advice, "--latency", &Advice::flag);
  ASSERT_NE(latency, advice.end());
  EXPECT_GT(latency->value, 15);
  const auto trains_within = [&](double latency_ms) {
    ground.problem.roles[1].latency_ms = latency_ms;
    ArrivalPlanner relaxed(ground.live(), {poisson_arrivals(60)}, {.requests = 2000});
    const auto plan = relaxed.plan(12);
    return plan && plan->trainings_per_s > 0;
  };
  EXPECT_TRUE(trains_within(latency->value));
  EXPECT_FALSE(trains_within(0.99 * latency->value));
}

/// Is there a plan that trains when the request is changed as each of these says?
bool does(Ground ground, double rate_hz, double power_w, const std::vector<Advice>& changes) {
  ArrivalPlanOptions options{.requests = 2000};
  for (const Advice& one : changes) {
    if (one.flag == "--power-budget") power_w = one.value;
    if (one.flag == "--latency") ground.problem.roles[1].latency_ms = one.value;
    if (one.flag == "--percentile") options.percentile = one.value;
    if (one.flag == "--arrivals") rate_hz = parse_arrivals(one.whole)->rate_hz;
  }
  ground.problem.roles[1].rate_hz = rate_hz;
  const auto plan =
      ArrivalPlanner(ground.live(), {poisson_arrivals(rate_hz)}, options).plan(power_w);
  return plan && plan->trainings_per_s > 0;
}

// Whatever misses, a refusal names values, and each of them does as it is typed.
TEST(ArrivalMiss, EveryValueThatIsAdvisedDoes) {
  std::map<std::string, int> advised;
  int together = 0;
  for (const double power_w : {8.0, 12.0, 100.0})
    for (const double latency_ms : {3.0, 9.0, 25.0, 300.0})
      for (const double rate_hz : {60.0, 400.0, 6000.0}) {
        const Ground ground({{power_w, unlimited, unlimited}, latency_ms, rate_hz});
        ArrivalPlanner planner(ground.live(), {poisson_arrivals(rate_hz)}, {.requests = 2000});
        if (planner.plan(power_w)) continue;
        const Remedies remedies = no_arrival_plan(planner, ground.problem, 99, power_w).remedies;
        const std::string asked =
            fmt::format("{} W, {} ms, {} requests/s: ", power_w, latency_ms, rate_hz);
        EXPECT_NE(remedies.alone.empty(), remedies.together.empty()) << asked;
        for (const Advice& one : remedies.alone) {
          ++advised[one.flag];
          EXPECT_TRUE(does(ground, rate_hz, power_w, {one})) << asked << typed_text(one);
        }
        if (remedies.together.empty()) continue;
        ++together;
        EXPECT_TRUE(does(ground, rate_hz, power_w, remedies.together))
            << asked << typed_together(remedies.together);
      }
  for (const char* flag : {"--power-budget", "--latency", "--arrivals"})
    EXPECT_GT(advised[flag], 0) << flag;
  EXPECT_GT(together, 1);
}

TEST(ArrivalMiss, SaysThatALatencyLeavesNoTimeToGather) {
  const Ground ground({{unlimited, unlimited, unlimited}, 5, 900});
  ArrivalPlanner planner(ground.live(), {poisson_arrivals(900)}, {.requests = 2000});
  EXPECT_LT(planner.least_patient_load(), 1);
  EXPECT_THAT(no_arrival_plan(planner, ground.problem, 99, unlimited).why_not.message,
              HasSubstr("within the latency too few gather in a batch"));
}

// Where neither alone does, both are told with what was asked, and do as they are typed.
TEST(ArrivalMiss, AdvisesPowerAndLatencyTogether) {
  Ground ground({{8, unlimited, unlimited}, 4, 60});
  ArrivalPlanner planner(ground.live(), {poisson_arrivals(60)}, {.requests = 2000});
  ASSERT_FALSE(planner.plan(8));
  const auto enough = planner.least_together(8);
  ASSERT_TRUE(enough);
  const double power_w = rounded(enough->power_w, 3, true);
  const Error error = no_arrival_plan(planner, ground.problem, 99, 8).why_not;
  EXPECT_THAT(error.message, HasSubstr("easing one limit alone does not help"));
  EXPECT_THAT(error.hint,
              HasSubstr(fmt::format("--power-budget {:g}W and --latency {:g}ms together", power_w,
                                    enough->latency_ms)));
  ground.problem.roles[1].latency_ms = enough->latency_ms;
  ArrivalPlanner relaxed(ground.live(), {poisson_arrivals(60)}, {.requests = 2000});
  EXPECT_TRUE(relaxed.plan(power_w));
}

// A batch that its deadline cuts short is a smaller one, and may draw more.
TEST(ArrivalPlan, PowerIsThatOfTheHungriestBatchThatMayRun) {
  Ground ground({{unlimited, unlimited, unlimited}, 300, 60});
  const Candidates& all = *ground.candidates;
  ArrivalPlanner planner(ground.live(), {poisson_arrivals(60)}, {.requests = 2000});
  const auto best = planner.plan(unlimited);
  ASSERT_TRUE(best);
  const size_t mode = all.mode_of(1, best->choice[1]);
  EXPECT_EQ(ground.live().power_w(best->choice), power_of(ground.readings, best->choice));
  for (const size_t other : all.of_mode(1, mode))
    if (all.batch(1, other) == 1) ground.readings[1][other].power_w = 99;
  EXPECT_EQ(ground.live().power_w(best->choice), 99);
  ArrivalPlanner within(ground.live(), {poisson_arrivals(60)}, {.requests = 2000});
  const auto other = within.plan(90);
  ASSERT_TRUE(other);
  EXPECT_NE(all.mode_of(1, other->choice[1]), mode);
}

/// Two services of the same network on one board.
struct TwoServices {
  TwoServices(double first_ms, double second_ms) {
    const std::array<const WorkloadTable*, 2> tables = {&table, &table};
    problem.candidates =
        std::make_shared<const Candidates>(*Candidates::link({table.space, table.space}));
    problem.objective = Objective::latency;
    problem.roles = {role_of(table), role_of(table)};
    problem.roles[0].latency_ms = first_ms;
    problem.roles[1].latency_ms = second_ms;
    for (Role& role : problem.roles) role.rate_hz = 60;
    readings = *readings_of(*problem.candidates, tables);
  }
  ArrivalPlanner planner() const {
    return {
        {&problem, &readings}, {poisson_arrivals(60), poisson_arrivals(60)}, {.requests = 2000}};
  }
  WorkloadTable table = board_table(Phase::infer);
  Problem problem;
  Readings readings;
};

// Most simulations are given up: what is found is what simulating everything finds.
TEST(ArrivalPlan, GivingUpHidesNothing) {
  size_t planned = 0;
  for (const double latency_ms : {45.0, 90.0, 400.0}) {
    const TwoServices two(latency_ms, latency_ms);
    ArrivalPlanner giving_up = two.planner(), thorough = two.planner();
    std::optional<std::pair<double, double>> best;
    for_each_choice(two.problem, [&](std::span<const size_t> choice) {
      if (!thorough.in_time(choice)) return;
      const SimulatedChoice run = thorough.worse_of_two(choice);
      const std::pair costs(run.latency_share,
                            ServingProblem{&two.problem, &two.readings}.power_w(choice));
      if (!best || costs < *best) best = costs;
    });
    const auto plan = giving_up.plan(unlimited);
    ASSERT_EQ(plan.has_value(), best.has_value()) << latency_ms;
    if (!plan) continue;
    ++planned;
    EXPECT_EQ(plan->latency_share, best->first) << latency_ms;
    EXPECT_EQ(plan->choice, giving_up.plan(unlimited)->choice) << "what was given up is known";
  }
  EXPECT_GT(planned, 0u);
}

// What is promised of a plan is what it was chosen by: with more power nobody is answered later,
// and of those who are answered as soon the thriftiest serves.
TEST(ArrivalPlan, AHigherBudgetAnswersNoLater) {
  size_t planned = 0;
  for (const double latency_ms : {45.0, 90.0, 400.0}) {
    const TwoServices two(latency_ms, latency_ms);
    ArrivalPlanner planner = two.planner();
    std::pair before{unlimited, unlimited};
    for (double power_w = 10; power_w <= 28; power_w += 2) {
      const auto plan = planner.plan(power_w);
      if (!plan) continue;
      ++planned;
      EXPECT_EQ(planner.worse_of_two(plan->choice).latency_share, plan->latency_share);
      const std::pair costs(plan->latency_share,
                            ServingProblem{&two.problem, &two.readings}.power_w(plan->choice));
      EXPECT_LE(costs, before) << power_w << " W, " << latency_ms << " ms";
      before = costs;
    }
  }
  EXPECT_GT(planned, 10u);
}

// One that nobody asks within the time that is simulated has no latency, and decides nothing.
TEST(ArrivalPlan, AServiceThatNobodyAsksDoesNotCount) {
  const TwoServices two(400, 400);
  ArrivalPlanner planner({&two.problem, &two.readings},
                         {poisson_arrivals(60), poisson_arrivals(0.00001)}, {.requests = 2000});
  const auto plan = planner.plan(unlimited);
  ASSERT_TRUE(plan);
  EXPECT_GT(plan->latency_share, 0);
  EXPECT_LT(plan->latency_share, 0.1) << "the fastest mode is chosen";
  const SimulatedChoice promised = planner.worse_of_two(plan->choice);
  EXPECT_EQ(promised.longest_ms, promised.services[0].latency_ms);
  EXPECT_EQ(promised.services[1].late_share, 0);
  EXPECT_TRUE(std::isnan(promised.services[1].latency_ms));
}

// What is typed as advised is one value for each service.
TEST(ArrivalMiss, AdvisesTwoServicesInOneOption) {
  TwoServices two(400, 7);
  ArrivalPlanner planner = two.planner();
  ASSERT_FALSE(planner.plan(unlimited));
  const Refusal refusal = no_arrival_plan(planner, two.problem, 99, unlimited);
  ASSERT_GE(refusal.remedies.alone.size(), 2u);
  EXPECT_EQ(refusal.remedies.alone[0].workload, "the second net");
  EXPECT_THAT(refusal.why_not.hint,
              HasSubstr(fmt::format("--latency 400ms {:g}ms,", refusal.remedies.alone[0].value)));
  two.problem.roles[1].latency_ms = refusal.remedies.alone[0].value;
  ArrivalPlanner relaxed = two.planner();
  const auto plan = relaxed.plan(unlimited);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->services.size(), 2u);
  EXPECT_EQ(plan->p99_ms, plan->services[1].latency_ms);
}

// Where the latency of neither alone does, the one that does for both.
TEST(ArrivalMiss, EasesBothServicesWhereOneAloneDoesNot) {
  TwoServices two(6, 7);
  ArrivalPlanner planner = two.planner();
  const Refusal refusal = no_arrival_plan(planner, two.problem, 99, unlimited);
  ASSERT_GE(refusal.remedies.alone.size(), 2u);
  EXPECT_EQ(refusal.remedies.alone[0].workload, "");
  const double enough_ms = refusal.remedies.alone[0].value;
  EXPECT_THAT(refusal.why_not.hint, HasSubstr(fmt::format("try --latency {:g}ms,", enough_ms)));
  for (Role& role : two.problem.roles) role.latency_ms = enough_ms;
  EXPECT_TRUE(two.planner().plan(unlimited));
  for (Role& role : two.problem.roles) role.latency_ms = 0.99 * enough_ms;
  EXPECT_FALSE(two.planner().plan(unlimited));
}

// Requests that come one by one are served one by one: larger batches do not help, and may draw
// more.
TEST(ArrivalPlan, OfEqualsTheThriftierIsChosen) {
  Ground ground({{unlimited, unlimited, unlimited}, 40, 5});
  const Candidates& all = *ground.candidates;
  for (size_t i = 0; i < all.size(1); ++i)
    if (all.batch(1, i) > 1) ground.readings[1][i].power_w += 30;
  ArrivalPlanner planner(ground.live(), {constant_arrivals(5)}, {.requests = 500});
  const auto plan = planner.plan(unlimited);
  ASSERT_TRUE(plan);
  EXPECT_EQ(all.batch(1, plan->choice[1]), 1);
}

// No preference is told that breaks the limit, and latencies are those of all that came.
TEST(PreferenceFront, HoldsWhatKeepsThePercentile) {
  size_t told = 0;
  for (const double latency_ms : {60.0, 100.0, 300.0}) {
    const Ground ground({{unlimited, unlimited, unlimited}, latency_ms, 60});
    const Candidates& all = *ground.candidates;
    for (size_t i = 0; i < all.size(1); ++i) {
      const std::vector<size_t> choice = {*all.first_of(0, all.mode_of(1, i)), i};
      for (const PreferencePoint& point :
           preference_front(ground.live(), choice, {poisson_arrivals(60)}, {.requests = 2000})) {
        EXPECT_EQ(point.high_ms <= latency_ms, point.late_share <= 0.01) << point.high_ms;
        EXPECT_TRUE(point.chosen || point.late_share <= 0.01) << point.late_share;
        told += !point.chosen;
      }
    }
  }
  EXPECT_GT(told, 0u);
}

// With several batch sizes of the training its samples count, not its minibatches.
TEST(ArrivalPlan, CountsWhatItsProblemCounts) {
  Ground ground({{unlimited, unlimited, unlimited}, 300, 60});
  ArrivalPlanner planner(ground.live(), {poisson_arrivals(60)}, {.requests = 2000});
  const auto best = planner.plan(unlimited);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->trained_per_s, best->trainings_per_s);
  ground.problem.per_sample = true;
  ArrivalPlanner samples(ground.live(), {poisson_arrivals(60)}, {.requests = 2000});
  const auto counted = samples.plan(unlimited);
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->trained_per_s, 16 * counted->trainings_per_s);
}

TEST(ArrivalMiss, TellsHowMuchTooFastTheyCome) {
  const Ground ground({{unlimited, unlimited, unlimited}, 300, 6000});
  ArrivalPlanner planner(ground.live(), {poisson_arrivals(6000)}, {.requests = 2000});
  ASSERT_FALSE(planner.plan(unlimited));
  EXPECT_NEAR(planner.least_load(), 6000 * (4 + 0.8 * 32) / 32 * 1e-3, 1e-6);
  EXPECT_THAT(no_arrival_plan(planner, ground.problem, 99, unlimited).why_not.message,
              HasSubstr("they take 5.55 times the time that there is"));
}

TEST(Replanner, FollowsTheRateAndLeavesAModeOnlyWhereItPays) {
  Ground ground({{28, unlimited, unlimited}, 300, 60});
  ground.problem.switch_ms = 2000;
  Replanner plans(ground.live(), {});
  // A mode far too slow for what comes: it is left at once.
  std::vector<size_t> slow = {1, 7};
  plans.begin(std::array{20.0}, slow);
  EXPECT_TRUE(plans.change_to({150}, "more arrive"));
  const auto fast = plans.choice();
  EXPECT_NE(fast, slow);
  // The fastest mode trains most at any rate here: it stays, whatever the batch.
  plans.change_to({20}, "fewer arrive");
  EXPECT_EQ(plans.choice()[0], fast[0]);
}

// No gain is worth so long a switch: a mode is left where it cannot keep the budget alone.
TEST(Replanner, AModeThatDrawsTheWholeBudgetKeepsIt) {
  Ground ground({{28, unlimited, unlimited}, 300, 20});
  ground.problem.switch_ms = 1e6;
  const auto present = Replanner(ground.live(), {}).plan_for({20});
  ASSERT_TRUE(present);
  const double power_w = ground.live().power_w(present->choice);
  for (const double budget_w : {std::nextafter(power_w, 0), 0.95 * power_w}) {
    ground.problem.budgets.power_w = budget_w;
    ReplanOptions others;
    others.allowed = [&](std::span<const size_t> choice) {
      return choice[0] != present->choice[0];
    };
    Replanner plans(ground.live(), others);
    plans.begin(std::array{20.0}, present->choice);
    EXPECT_EQ(plans.change_to({20}, "it is looked at").has_value(), budget_w < 0.99 * power_w);
  }
}

TEST(ServingEvaluation, ClockworkPlansExecuteAndFiguresDoNotDependOnThreads) {
  const WorkloadTable train = board_table(Phase::train), infer = board_table(Phase::infer);
  ServingSweep sweep;
  sweep.train = &train;
  sweep.infer = &infer;
  sweep.only_paper_modes = false;
  sweep.seconds = 60;
  sweep.traces = 2;
  for (const double power : {15.0, 25.0})
    for (const double latency : {200.0, 800.0})
      for (const double rate : {30.0, 90.0})
        sweep.problems.push_back({{power, unlimited, unlimited}, latency, rate});
  sweep.threads = 1;
  const auto one = evaluate_live(sweep);
  ASSERT_TRUE(one.ok());
  const ServingRow& constant = one->rows[0];
  EXPECT_GT(constant.planned, 4u);
  EXPECT_EQ(constant.solved, constant.planned);
  EXPECT_EQ(constant.trained, constant.with_training);
  EXPECT_GE(constant.least_training_ratio, 0.99);
  EXPECT_GT(constant.with_training, 4u);
  EXPECT_GT(one->rows[2].planned, 4u);
  EXPECT_EQ(one->rows[2].solved, one->rows[2].planned);
  ASSERT_EQ(one->traces.size(), 2u);
  for (const ServingTrace& trace : one->traces) EXPECT_GT(trace.trained, 0.97 * trace.knowing);
  sweep.threads = 2;
  const auto two = evaluate_live(sweep);
  ASSERT_TRUE(two.ok());
  EXPECT_EQ(one->rows[2].mean_training_ratio, two->rows[2].mean_training_ratio);
  EXPECT_EQ(one->rows[1].mean_late_pct, two->rows[1].mean_late_pct);
}

}  // namespace
}  // namespace flyball
