#include "schedule/simulation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <nlohmann/json.hpp>

#include "problem/problem.h"
#include "schedule/schedule_testing.h"

namespace flyball {
namespace {

ServingResult run(Simulation asked, const std::string& arrivals, uint64_t seed = 1) {
  const auto spec = parse_arrivals(arrivals);
  EXPECT_TRUE(spec.ok());
  const auto source = make_arrivals(*spec, seed);
  asked.arrivals = {source.get()};
  asked.seed = seed;
  return simulate(std::move(asked));
}

TEST(Simulation, ClockworkTrainsAtLeastWhatThePlanSays) {
  for (const double rate : {30.0, 60.0, 90.0})
    for (const int64_t batch : {1, 4, 16, 32})
      for (const double train_ms : {5.0, 17.0, 60.0}) {
        const double window_ms = 1e3 * static_cast<double>(batch) / rate;
        const double infer_ms = 6 + 0.5 * static_cast<double>(batch - 1);
        if (infer_ms > window_ms) continue;
        const double n = minibatches_per_window(window_ms, infer_ms, train_ms);
        Simulation asked = one_and_one(window_ms + infer_ms, batch, 6, 0.5, train_ms);
        asked.seconds = 300;
        const ServingResult result = run(asked, fmt::format("constant:{}", rate));
        EXPECT_EQ(result.services[0].late, 0u);
        EXPECT_EQ(result.services[0].refused, 0u);
        EXPECT_GE(static_cast<double>(result.trainings[0].minibatches),
                  0.99 * 300 * n * 1e3 / window_ms)
            << rate << "/s, batch " << batch << ", training " << train_ms << " ms";
      }
}

TEST(Simulation, ChanceKeepsTheBudgetWhereThereIsRoom) {
  Simulation asked = one_and_one(400, 16, 6, 0.5, 40);
  asked.seconds = 600;
  const ServingResult result = run(asked, "poisson:60");
  EXPECT_GT(result.services[0].arrived, 30000u);
  EXPECT_LE(result.services[0].late_share(), 0.001);
  // All the time that is not served in is trained in.
  EXPECT_GT(result.trainings[0].busy_s + result.services[0].busy_s, 0.999 * result.seconds);
}

TEST(Simulation, JitterIsLearnt) {
  Simulation asked = one_and_one(300, 16, 6, 0.5, 40);
  asked.seconds = 600;
  asked.jitter = 0.2;
  const ServingResult result = run(asked, "poisson:60");
  EXPECT_LE(result.services[0].late_share(), 0.005);
  EXPECT_GT(result.trainings[0].minibatches, 0u);
}

TEST(Simulation, OverloadIsRefusedOrServedLateAndTrainingStops) {
  Simulation asked = one_and_one(200, 4, 20, 5, 30);  // 4 in 35 ms: 114/s at most
  asked.seconds = 60;
  const ServingResult refusing = run(asked, "poisson:300");
  EXPECT_GT(refusing.services[0].refused, 5000u);
  EXPECT_LT(refusing.services[0].late, refusing.services[0].answered / 100);
  EXPECT_LT(refusing.trainings[0].minibatches, 20u);
  asked.services[0].queue = {.bound = 100, .overload = Overload::late};
  const ServingResult late = run(asked, "poisson:300");
  EXPECT_GT(late.services[0].late, late.services[0].answered / 2);
  EXPECT_LE(late.services[0].largest_queue, 100u);
}

TEST(Simulation, TheSameSeedGivesTheSameRun) {
  Simulation asked = one_and_one(300, 16, 6, 0.5, 40);
  asked.seconds = 60;
  asked.jitter = 0.1;
  const auto first = to_json(run(asked, "poisson:60", 3));
  EXPECT_EQ(first, to_json(run(asked, "poisson:60", 3)));
  EXPECT_NE(first, to_json(run(asked, "poisson:60", 4)));
}

TEST(Simulation, EnergyIsOfWhatRanAndOfIdling) {
  Simulation asked = one_and_one(200, 1, 10, 0, 500);  // too short for training
  asked.seconds = 10;
  const ServingResult result = run(asked, "constant:50");
  EXPECT_EQ(result.trainings[0].minibatches, 0u);
  EXPECT_THAT(result.training_blocked, testing::HasSubstr("latency budget of 200 ms"));
  EXPECT_NEAR(result.energy_j, 10 * (0.5 * 20 + 0.5 * 5), 1);
}

TEST(Simulation, ANewPlanIsTakenAndItsSwitchPaid) {
  Simulation asked = one_and_one(400, 16, 6, 0.5, 40);
  asked.seconds = 20;
  asked.switch_s = 0.2;
  RunningPlan faster = asked.plan;
  faster.mode = 1;
  faster.mode_text = "faster";
  faster.trainings[0].minibatch = minibatch_of(20);
  bool told = false;
  asked.replan = [&](int64_t now_ns, const ServingResult&) -> std::optional<PlanChange> {
    if (told || now_ns < 10'000 * ms) return std::nullopt;
    told = true;
    return PlanChange{faster, {.why = "asked"}};
  };
  const ServingResult result = run(asked, "poisson:30");
  EXPECT_EQ(result.switches, 1u);
  ASSERT_EQ(result.replans.size(), 1u);
  EXPECT_EQ(result.replans[0].mode, "faster");
  EXPECT_EQ(result.services[0].late, 0u);
  EXPECT_GT(result.trainings[0].minibatches, 500u);
}

// Who arrives while the mode changes, and cannot be answered in time for it, is told so at once.
TEST(Simulation, ASwitchLongerThanTheBudgetRefusesWhomItWouldMakeLate) {
  Simulation asked = one_and_one(100, 16, 6, 0.5, 40);
  asked.seconds = 20;
  asked.switch_s = 2;
  RunningPlan other = asked.plan;
  other.mode = 1;
  bool told = false;
  asked.replan = [&](int64_t now_ns, const ServingResult&) -> std::optional<PlanChange> {
    if (told || now_ns < 10'000 * ms) return std::nullopt;
    told = true;
    return PlanChange{other, {.why = "asked"}};
  };
  const ServingResult refusing = run(asked, "poisson:60");
  EXPECT_EQ(refusing.switches, 1u);
  EXPECT_LE(refusing.services[0].late, 5u) << "who waited when it began";
  EXPECT_NEAR(static_cast<double>(refusing.services[0].refused), 1.9 * 60, 40);
  asked.services[0].queue.overload = Overload::late;
  told = false;
  const ServingResult late = run(asked, "poisson:60");
  EXPECT_EQ(late.services[0].refused, 0u);
  EXPECT_NEAR(static_cast<double>(late.services[0].late), 1.9 * 60, 40);
}

TEST(Simulation, EndsAtOnceWhereItIsStopped) {
  Simulation asked = one_and_one(400, 16, 6, 0.5, 40);
  std::atomic<bool> stop{false};
  asked.seconds = 1e6;
  asked.stop = &stop;
  size_t ran = 0;
  asked.ran = [&](const Decision&, int64_t, int64_t) { stop = ++ran == 10; };
  EXPECT_EQ(run(asked, "poisson:30").decisions, 10u);
}

// The switch of the first one is longer than any gap, so that it never begins.
TEST(Simulation, AChangeWhoseSwitchWaitsIsReplacedByTheNext) {
  Simulation asked = one_and_one(400, 16, 6, 0.5, 40);
  asked.seconds = 20;
  asked.switch_s = 0.39;
  size_t told = 0, followed = 0;
  asked.replan = [&](int64_t now_ns, const ServingResult& so_far) -> std::optional<PlanChange> {
    if (now_ns < static_cast<int64_t>(told + 1) * 5'000 * ms || told == 2) return std::nullopt;
    EXPECT_GT(so_far.services[0].answered, 100 * told);
    PlanChange change{asked.plan, {.why = fmt::format("plan {}", told)}};
    change.only_in_gap = true;
    change.followed = [&] { ++followed; };
    if (++told == 1) change.plan.mode = 1;
    return change;
  };
  const ServingResult result = run(asked, "poisson:30");
  EXPECT_EQ(told, 2u);
  EXPECT_EQ(followed, 1u);
  EXPECT_EQ(result.switches, 0u);
  ASSERT_EQ(result.replans.size(), 1u);
  EXPECT_EQ(result.replans[0].why, "plan 1");
}

TEST(Simulation, OfManyNewPlansTheLastAreKeptAndAllCounted) {
  ServingResult result;
  for (size_t i = 0; i < most_replans + 500; ++i)
    result.planned_anew({.why = fmt::format("plan {}", i)});
  EXPECT_EQ(result.replans.size(), most_replans);
  EXPECT_EQ(result.replans.front().why, "plan 500");
  EXPECT_EQ(to_json(result)["replan_count"], most_replans + 500);
}

// The timeline tells modes of them.
TEST(Simulation, ManyPlansThatChangeNothingLeaveThoseThatChangedTheMode) {
  ServingResult result;
  for (size_t i = 0; i < 3 * most_replans; ++i)
    result.planned_anew({.why = fmt::format("plan {}", i), .switched = i < 300});
  EXPECT_EQ(result.replans.size(), most_replans);
  EXPECT_EQ(std::ranges::count_if(result.replans, &Replan::switched), 300);
  EXPECT_EQ(result.replans.back().why, fmt::format("plan {}", 3 * most_replans - 1));
}

// A burst makes minibatches late, and their quantile grows; once it is over there is training
// again.
TEST(Simulation, TrainingComesBackAfterABurst) {
  Simulation asked = one_and_one(100, 8, 4, 0.5, 55);
  ArrivalSpec spec;
  spec.kind = ArrivalKind::windows;
  spec.windows = {{30, 20}, {3000, 6}, {20, 120}};
  const auto source = make_arrivals(spec, 3);
  asked.arrivals = {source.get()};
  asked.seconds = 146;
  asked.jitter = 0.2;
  std::vector<int64_t> ends;
  asked.ran = [&](const Decision& what, int64_t, int64_t end_ns) {
    if (what.act == Act::train) ends.push_back(end_ns);
  };
  const ServingResult result = simulate(std::move(asked));
  EXPECT_LT(result.services[0].late, result.services[0].arrived / 50);
  int64_t last_ns = 26'000 * ms, longest_ns = 0;
  for (const int64_t end_ns : ends) {
    if (end_ns < last_ns) continue;
    longest_ns = std::max(longest_ns, end_ns - last_ns);
    last_ns = end_ns;
  }
  longest_ns = std::max(longest_ns, 146'000 * ms - last_ns);
  EXPECT_LT(longest_ns, 30'000 * ms);  // not once in half a minute would be: never
}

}  // namespace
}  // namespace flyball
