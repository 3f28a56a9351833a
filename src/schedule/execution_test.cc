#include "schedule/execution.h"

#include <gmock/gmock.h>

#include <deque>

#include "schedule/schedule_testing.h"

namespace flyball {
namespace {

using ::testing::HasSubstr;

/// A service and a training on a clock that goes on by what a script says.
class Scripted final : public Executor {
 public:
  explicit Scripted(bool measured = false) : execution(*this, {.measured = measured}) {
    execution.add(ServiceRules{.name = "net", .latency_ns = 100 * ms, .largest_batch = 4});
    execution.add(TrainingRules{.name = "learn"});
    RunningPlan plan = one_and_one(100, 4, 10, 0, 20).plan;
    plan.trainings_per_s = {50};
    execution.begin(std::move(plan), 0, &timeline);
  }

  Execution execution;
  ServingTimeline timeline;
  std::deque<int64_t> arrivals{};
  std::deque<bool> fails{};  ///< of the next minibatches
  Status set{};              ///< that setting a mode gives
  int64_t end_ns = 1000 * ms, now = 0;
  std::function<void()> at_each_look{};

  ServingResult run() {
    execution.run(end_ns);
    execution.end(now);
    return execution.result();
  }

 private:
  int64_t now_ns() const override { return now; }
  bool look() override {
    if (at_each_look) at_each_look();
    for (; !arrivals.empty() && arrivals.front() <= now; arrivals.pop_front())
      execution.arrive(0, static_cast<uint64_t>(arrivals.front()), 1, arrivals.front());
    if (now >= end_ns) execution.scheduler().drain();
    return true;
  }
  void wait() override { now += ms; }
  void run(const Decision& what) override {
    const int64_t begin_ns = now;
    now += what.act == Act::infer ? 10 * ms : 20 * ms;
    const bool failed = !fails.empty() && fails.front();
    if (!fails.empty()) fails.pop_front();
    execution.ended(what, begin_ns, now, failed ? Ending::failed : Ending::whole);
  }
  bool switches(const PlanChange& change) const override {
    return change.plan.mode != execution.plan().mode;
  }
  Status set_mode(const PlanChange& change) override {
    now += static_cast<int64_t>(change.switch_s * 1e9);
    return set;
  }
};

PlanChange change_to_mode(size_t mode, double minibatch_ms) {
  PlanChange change;
  change.plan.mode = mode;
  change.plan.largest_batch = {2};
  change.plan.services = {{batch_curve(5, 0, 2)}};
  change.plan.trainings = {{minibatch_of(minibatch_ms)}};
  change.plan.trainings_per_s = {10};
  change.why.why = "asked";
  change.switch_s = 0.05;
  return change;
}

TEST(Execution, CountsWhatRanInResultAndTimelineAlike) {
  Scripted scripted;
  scripted.arrivals = {0, 0, 300 * ms, 500 * ms};
  const ServingResult result = scripted.run();
  EXPECT_EQ(result.services[0].arrived, 4u);
  EXPECT_EQ(result.services[0].answered, 4u);
  EXPECT_EQ(result.services[0].late, 0u);
  EXPECT_EQ(result.services[0].samples, 4u);
  EXPECT_GT(result.trainings[0].minibatches, 40u);
  EXPECT_DOUBLE_EQ(*result.trainings[0].planned, 50) << "nothing is planned for the drain";
  EXPECT_NEAR(result.busy_s(), result.seconds, 0.05);
  TimelineWindow sum{.services = {{}}, .trainings = {{}}};
  for (const TimelineWindow& window : scripted.timeline.windows()) sum.merge(window);
  EXPECT_EQ(sum.services[0].answered, 4u);
  EXPECT_EQ(sum.services[0].batches, result.services[0].batches);
  EXPECT_EQ(sum.trainings[0].minibatches, result.trainings[0].minibatches);
}

TEST(Execution, WhatFailsIsNeitherAnsweredNorTrained) {
  Scripted scripted;
  scripted.end_ns = 0;
  scripted.arrivals = {0, 0};
  scripted.fails = {true};
  const ServingResult result = scripted.run();
  EXPECT_EQ(result.services[0].failed, 2u);
  EXPECT_EQ(result.services[0].answered, 0u);
  EXPECT_EQ(result.services[0].batches, 1u);
  EXPECT_EQ(result.services[0].latency.count(), 0u);
}

TEST(Execution, APlanBeginsWhenItsSwitchHasEnded) {
  Scripted scripted;
  double expected_ns = 0;
  scripted.at_each_look = [&, told = false]() mutable {
    if (told || scripted.now < 400 * ms) return;
    told = true;
    PlanChange change = change_to_mode(1, 15);
    change.followed = [&] { expected_ns = scripted.execution.durations().services[0]; };
    scripted.execution.change(std::move(change), scripted.now);
  };
  const ServingResult result = scripted.run();
  ASSERT_EQ(result.replans.size(), 1u);
  EXPECT_TRUE(result.replans[0].switched);
  EXPECT_EQ(result.switches, 1u);
  EXPECT_DOUBLE_EQ(result.switching_s, 0.05);
  EXPECT_NEAR(result.replans[0].at_s, 0.45, 0.021);
  EXPECT_NEAR(*result.trainings[0].planned, 50 * 0.45 + 10 * 0.55, 1);
  EXPECT_EQ(result.services[0].planned_batch, 2);
  EXPECT_DOUBLE_EQ(expected_ns, 5e6);
}

TEST(Execution, AModeThatCannotBeSetLeavesThePlan) {
  Scripted scripted;
  scripted.set = Error{Code::permission, "not root", ""};
  bool followed = false;
  PlanChange change = change_to_mode(1, 15);
  change.followed = [&] { followed = true; };
  scripted.execution.change(std::move(change), 0);
  const ServingResult result = scripted.run();
  EXPECT_TRUE(followed);
  EXPECT_EQ(result.switches, 0u);
  EXPECT_EQ(result.services[0].planned_batch, 4);
  ASSERT_EQ(result.replans.size(), 1u);
  EXPECT_FALSE(result.replans[0].switched);
  EXPECT_EQ(result.replans[0].why, "asked, but the mode cannot be set: not root");
}

// Where durations are measured, those of the present mode are better known than a plan knows them.
TEST(Execution, WhatWasLearnedStaysWhileTheModeDoes) {
  for (const bool measured : {false, true}) {
    Scripted scripted(measured);
    double expected_ns = 0;
    PlanChange change = change_to_mode(0, 15);
    change.followed = [&] { expected_ns = scripted.execution.durations().services[0]; };
    scripted.execution.change(std::move(change), 0);
    EXPECT_EQ(scripted.run().services[0].planned_batch, 2);
    EXPECT_DOUBLE_EQ(expected_ns, measured ? 10e6 : 5e6);
  }
}

TEST(Execution, WhoArrivesBeforeASwitchThatIsCertainIsJudgedByIt) {
  Scripted scripted;
  PlanChange change = change_to_mode(1, 15);
  change.switch_s = 0.2;  // longer than the budget: it comes at once
  scripted.execution.change(std::move(change), 0);
  EXPECT_EQ(scripted.execution.arrive(0, 1, 1, 0).refused, RefusalReason::overload);
  scripted.execution.pause_follows(static_cast<double>(200 * ms));
  EXPECT_EQ(scripted.execution.result().services[0].refused, 1u);
}

TEST(Execution, SaysWhyNothingWasTrained) {
  size_t untrained = 0;
  for (const bool measured : {false, true}) {
    Scripted scripted(measured);
    scripted.execution.change(change_to_mode(1, 500), 0);
    const ServingResult result = scripted.run();
    if (result.trainings[0].minibatches > 0) continue;
    ++untrained;
    EXPECT_THAT(result.training_blocked, HasSubstr("learn did not train: a minibatch of it"));
    EXPECT_EQ(result.training_blocked.find("(500 ms)") != std::string::npos, measured);
  }
  EXPECT_GT(untrained, 0u);
}

}  // namespace
}  // namespace flyball
