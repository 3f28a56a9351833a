#include "schedule/live/live_serving.h"

#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "base/os/interrupt.h"
#include "profile/trials/device_script_testing.h"
#include "schedule/live/live_serving_testing.h"

namespace flyball {
namespace {

TEST(LiveServing, EveryRequestIsAnsweredOnceAndTrainingFillsTheGaps) {
  LiveServing serving({.warm_up_s = 0.2});
  Counts counts;
  serving.add(rules(2000), std::make_unique<Doubler>(1'000'000));
  serving.add(TrainingRules{.name = "learn"}, std::make_unique<Trainer>(counts));
  ASSERT_TRUE(serving.warm_up().ok());
  EXPECT_TRUE(serving.ready());
  const int before = counts.steps;
  std::atomic<int> right{0}, wrong{0};
  std::vector<std::thread> clients;
  for (int c = 0; c < 4; ++c)
    clients.emplace_back([&, c] {
      for (int i = 0; i < 25; ++i) {
        InferRequest request;
        const std::string text(1, static_cast<char>('a' + c));
        request.inputs.push_back({"text", DType::uint8, {1}, text});
        request.done = [&, text](const InferAnswer& answer) {
          const bool ok = answer.outputs.ok() && (*answer.outputs)[0].bytes == text + text &&
                          answer.latency_s > 0 && answer.batch >= 1;
          ++(ok ? right : wrong);
        };
        serving.submit(0, std::move(request));
        sleep_until_ns(monotonic_ns() + 3'000'000);
      }
    });
  ASSERT_TRUE(serving.run(0.5).ok());
  for (std::thread& client : clients) client.join();
  const ServingResult result = serving.snapshot();
  EXPECT_EQ(right + wrong, 100);
  EXPECT_EQ(static_cast<size_t>(right), result.services[0].answered);
  EXPECT_EQ(result.services[0].arrived, 100u);
  EXPECT_EQ(result.services[0].answered + result.services[0].refused, 100u);
  EXPECT_EQ(static_cast<size_t>(counts.steps - before), result.trainings[0].minibatches);
  EXPECT_GT(result.trainings[0].minibatches, 5u);
  EXPECT_EQ(counts.saves, 1);  // at the end
  TimelineWindow sum{.services = {{}}, .trainings = {{}}};
  for (const TimelineWindow& window : serving.timeline().windows()) sum.merge(window);
  EXPECT_EQ(sum.services[0].arrived, 100u);
  EXPECT_EQ(sum.services[0].answered, result.services[0].answered);
  EXPECT_EQ(sum.services[0].late, result.services[0].late);
  EXPECT_EQ(sum.services[0].refused, result.services[0].refused);
  EXPECT_EQ(sum.services[0].batches, result.services[0].batches);
  EXPECT_EQ(sum.trainings[0].minibatches, result.trainings[0].minibatches);
  EXPECT_NEAR(static_cast<double>(sum.services[0].busy_ns) * 1e-9, result.services[0].busy_s, 1e-6);
}

TEST(LiveServing, BeforeWarmUpAndAfterADrainRequestsAreRefused) {
  LiveServing serving({.warm_up_s = 0.1});
  serving.add(rules(500), std::make_unique<Doubler>(1'000'000));
  std::vector<RefusalReason> reasons;
  const auto submit = [&] {
    InferRequest request;
    request.inputs.push_back({"text", DType::uint8, {1}, "x"});
    request.done = [&](const InferAnswer& answer) { reasons.push_back(answer.refused); };
    serving.submit(0, std::move(request));
  };
  submit();
  EXPECT_EQ(serving.turn_away(0).refused, RefusalReason::not_ready);
  ASSERT_TRUE(serving.warm_up().ok());
  submit();
  serving.drain();
  submit();
  ASSERT_TRUE(serving.run(0).ok());
  EXPECT_THAT(reasons, testing::ElementsAre(RefusalReason::not_ready, RefusalReason::draining,
                                            RefusalReason::none));
  EXPECT_FALSE(serving.ready());
  EXPECT_EQ(serving.turn_away(0).refused, RefusalReason::draining);
  const ServiceResult service = serving.snapshot().services[0];
  EXPECT_EQ(service.arrived, 5u) << "each counts";
  EXPECT_EQ(service.refused, 4u);
  size_t arrived = 0, refused = 0;
  for (const TimelineWindow& window : serving.timeline().windows()) {
    arrived += window.services[0].arrived;
    refused += window.services[0].refused;
  }
  EXPECT_EQ(arrived, 5u);
  EXPECT_EQ(refused, 4u);
}

TEST(LiveServing, AStopDrainsAndSaves) {
  std::atomic<bool> stop{false};
  LiveServing serving({.warm_up_s = 0.1, .stop = &stop});
  Counts counts;
  serving.add(rules(2000), std::make_unique<Doubler>(1'000'000));
  serving.add(TrainingRules{.name = "learn"}, std::make_unique<Trainer>(counts));
  ASSERT_TRUE(serving.warm_up().ok());
  std::thread stopper([&] {
    sleep_until_ns(monotonic_ns() + 50'000'000);
    stop = true;
  });
  EXPECT_TRUE(serving.run(0).ok());
  stopper.join();
  EXPECT_EQ(counts.saves, 1);
}

/// Writes down when it was stepped and saved, and stops the run after five saves.
class LoggedTrainer final : public TrainingRunner {
 public:
  struct Event {
    bool save;
    int64_t begin_ns, end_ns;
  };
  struct Log {
    std::vector<Event> events;
    std::atomic<bool> stop{false};
    int saves = 0;
  };
  LoggedTrainer(Log& log, int64_t save_ns) : log_(log), save_ns_(save_ns) {}
  Status step() override {
    const int64_t begin_ns = monotonic_ns();
    sleep_until_ns(begin_ns + 2'000'000);
    log_.events.push_back({false, begin_ns, monotonic_ns()});
    return {};
  }
  Status save() override {
    const int64_t begin_ns = monotonic_ns();
    sleep_until_ns(begin_ns + save_ns_);
    log_.events.push_back({true, begin_ns, monotonic_ns()});
    log_.stop = ++log_.saves == 5;
    return {};
  }

 private:
  Log& log_;
  int64_t save_ns_;
};

// So a process that is killed loses no more: once a minibatch ends later than the interval after
// the last checkpoint, the next thing is to save, whatever waits. One takes longer than the budget
// here, so that no gap holds it.
TEST(LiveServing, NoMinibatchBeginsLaterThanTheIntervalAfterACheckpoint) {
  LoggedTrainer::Log log;
  LiveServing serving({.checkpoint_s = 0.05, .warm_up_s = 0.1, .stop = &log.stop});
  serving.add(rules(200), std::make_unique<Doubler>(1'000'000));
  serving.add(TrainingRules{.name = "learn"}, std::make_unique<LoggedTrainer>(log, 300'000'000));
  ASSERT_TRUE(serving.warm_up().ok());
  log.events.clear();
  ASSERT_TRUE(serving.run(0).ok());
  EXPECT_GE(log.saves, 5);
  int64_t since_ns = 0;  // not before the last checkpoint: when the first minibatch after it began
  for (size_t i = 0; i + 1 < log.events.size(); ++i) {
    const LoggedTrainer::Event& event = log.events[i];
    if (event.save)
      since_ns = 0;
    else if (since_ns == 0)
      since_ns = event.begin_ns;
    const bool due = since_ns > 0 && event.end_ns - since_ns >= 50'000'000;
    EXPECT_TRUE(!due || log.events[i + 1].save) << "event " << i;
  }
  size_t forced = 0;  // saved after the interval, not in a gap before
  int64_t saved_ns = 0;
  for (const LoggedTrainer::Event& event : log.events) {
    if (!event.save) continue;
    forced += saved_ns > 0 && event.begin_ns - saved_ns >= 50'000'000;
    saved_ns = event.end_ns;
  }
  EXPECT_GE(forced, 3u);
  EXPECT_TRUE(log.events.back().save) << "and all is kept at the end";
}

TEST(LiveServing, AChangeOfModeIsFollowedBetweenMinibatches) {
  std::atomic<bool> stop{false};
  int steps_before = 0;
  LiveServing serving({.warm_up_s = 0.1,
                       .stop = &stop,
                       .ran = [&](const Decision&, int64_t, int64_t) { stop = steps_before > 0; }});
  Counts counts;
  serving.add(rules(2000), std::make_unique<Doubler>(1'000'000));
  serving.add(TrainingRules{.name = "learn"}, std::make_unique<Trainer>(counts));
  serving.plan_trainings({100});
  ASSERT_TRUE(serving.warm_up().ok());
  const auto runner = std::this_thread::get_id();
  serving.change(to_mode("slow", [&] {
    EXPECT_EQ(std::this_thread::get_id(), runner);
    steps_before = counts.steps;
    sleep_until_ns(monotonic_ns() + 20'000'000);
    EXPECT_EQ(counts.steps, steps_before);  // nothing runs meanwhile
    return Status();
  }));
  ASSERT_TRUE(serving.run(60).ok());
  const ServingResult result = serving.snapshot();
  ASSERT_EQ(result.replans.size(), 1u);
  EXPECT_TRUE(result.replans[0].switched);
  EXPECT_EQ(result.replans[0].mode, "slow");
  EXPECT_EQ(result.switches, 1u);
  EXPECT_GE(result.switching_s, 0.02);
  EXPECT_EQ(result.services[0].planned_batch, 4);
  EXPECT_GT(counts.steps, steps_before);
  // 100 a second were planned until the change, 50 from it on.
  EXPECT_LT(*result.trainings[0].planned, 100 * result.seconds);
  EXPECT_GE(*result.trainings[0].planned, 50 * result.seconds);
}

/// Brings a new plan with each of so many minibatches, and then stops the run.
class ReplanningTrainer final : public TrainingRunner {
 public:
  ReplanningTrainer(LiveServing& serving, size_t changes) : serving_(serving), left_(changes) {}
  Status step() override {
    if (!serving_.ready()) return {};
    if (left_ == 0) serving_.drain();
    PlanChange change;
    change.why.why = std::to_string(left_);
    if (left_ > 0) serving_.change(std::move(change));
    left_ -= left_ > 0;
    return {};
  }
  Status save() override { return {}; }

 private:
  LiveServing& serving_;
  size_t left_;
};

/// Asks this process to stop, with less patience than what follows takes.
void interrupt_for_long() {
  std::raise(SIGINT);
  sleep_until_ns(monotonic_ns() + 300'000'000);
}

class InterruptedRunner final : public InferenceRunner {
 public:
  const ServiceInfo& info() const override { return doubler_.info(); }
  Result<std::vector<std::vector<StoredTensor>>> run(
      std::span<const InferRequest> requests) override {
    if (serves) interrupt_for_long();
    return doubler_.run(requests);
  }
  InferRequest example(int64_t samples) const override { return doubler_.example(samples); }
  bool serves = false;

 private:
  Doubler doubler_{1'000'000};
};

/// Ends with 0 where it is drained, and by the signal where patience ends first.
[[noreturn]] void serve_interrupted(bool in_batch) {
  catch_interrupts();
  set_interrupt_patience(0.05);
  LiveServing serving({.warm_up_s = 0.05, .stop = &interrupt_flag()});
  auto runner = std::make_unique<InterruptedRunner>();
  InterruptedRunner& interrupted = *runner;
  serving.add(rules(60'000), std::move(runner));
  if (!serving.warm_up().ok()) std::_Exit(2);
  std::vector<InferAnswer> answers;
  interrupted.serves = in_batch;
  PlanChange change = to_mode("other", [] {
    interrupt_for_long();
    return Status();
  });
  change.plan.trainings_per_s.clear();
  if (!in_batch) serving.change(std::move(change));
  serving.submit(0, asking(answers));
  if (!serving.run(0).ok() || answers.size() != 1 || !answers[0].outputs.ok()) std::_Exit(3);
  std::_Exit(0);
}

TEST(LiveServing, AnInterruptWaitsForAChangeOfModeAndForABatch) {
  EXPECT_EXIT(serve_interrupted(false), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(serve_interrupted(true), ::testing::ExitedWithCode(0), "");
}

TEST(LiveServing, AModeThatWasPutBackIsSetAgain) {
  ScriptedDevice device;
  int asked = 0;
  device.stands = [&asked]() -> Status {
    if (++asked != 2) return {};
    return Error{Code::unavailable, "the helper has gone", ""};
  };
  HeldMode held(device, {}, 0.02);
  ASSERT_TRUE(held.set({{{"gpu_mhz", 300}}}).ok());
  LiveServing serving({.warm_up_s = 0.1, .held = &held});
  ServiceRules asking = rules(500);
  asking.rate_hz = 40;
  serving.add(asking, std::make_unique<Doubler>(100'000));
  ASSERT_TRUE(serving.warm_up().ok());
  ASSERT_TRUE(serving.run(0.5).ok());
  const ServingResult result = serving.snapshot();
  EXPECT_GT(asked, 2);
  EXPECT_EQ(device.applied.size(), 2u);
  EXPECT_EQ(result.switches, 1u);
  ASSERT_EQ(result.replans.size(), 1u);
  EXPECT_EQ(result.replans[0].why,
            "the mode was put back by others (the helper has gone) and is set again");
  EXPECT_EQ(result.replans[0].mode, "gpu_mhz 300");
  EXPECT_EQ(result.replans[0].rate_hz, 40);
}

TEST(LiveServing, TheLastPlansAreKeptAndAllAreCounted) {
  LiveServing serving({.warm_up_s = 0.1});
  serving.add(rules(60'000), std::make_unique<Doubler>(1'000'000));
  serving.add(TrainingRules{.name = "learn"},
              std::make_unique<ReplanningTrainer>(serving, most_replans + 100));
  ASSERT_TRUE(serving.warm_up().ok());
  ASSERT_TRUE(serving.run(0).ok());
  const ServingResult result = serving.snapshot();
  EXPECT_EQ(result.replan_count, most_replans + 100);
  ASSERT_EQ(result.replans.size(), most_replans);
  EXPECT_EQ(result.replans.front().why, std::to_string(most_replans));
  EXPECT_EQ(result.replans.back().why, "1");
}

TEST(LiveServing, ItsBeginAndItsEndAreToldBeforeAnythingElseIsDone) {
  std::vector<std::string> told;
  LiveServing* made = nullptr;
  Counts counts;
  std::vector<InferAnswer> answers;
  LiveServingOptions options{.warm_up_s = 0.1};
  options.begins = [&] { told.push_back(made->ready() ? "late" : "begins"); };
  options.answered = [&] {
    told.push_back(counts.saves == 0 && answers.size() == 1 ? "answered" : "late");
    EXPECT_GT(made->snapshot().seconds, 0);
  };
  LiveServing serving(options);
  made = &serving;
  serving.add(rules(2000), std::make_unique<Doubler>(1'000'000));
  serving.add(TrainingRules{.name = "learn"}, std::make_unique<Trainer>(counts));
  ASSERT_TRUE(serving.warm_up().ok());
  serving.submit(0, asking(answers));
  serving.drain();
  ASSERT_TRUE(serving.run(0).ok());
  EXPECT_THAT(told, testing::ElementsAre("begins", "answered"));
  EXPECT_EQ(counts.saves, 1);
  // Power that is told of a lap which ends a little later counts up to the end.
  const double seconds = serving.snapshot().seconds;
  serving.told_power(serving.began_ns(), monotonic_ns() + 1'000'000'000, 10);
  double energy_j = 0;
  for (const TimelineWindow& window : serving.timeline().windows()) energy_j += window.energy_j;
  EXPECT_NEAR(energy_j, 10 * seconds, 1e-6);
}

TEST(LiveServing, AModeThatIsSetAlreadyIsNotSetAgain) {
  std::atomic<bool> stop{false};
  LiveServing serving({.warm_up_s = 0.1, .stop = &stop});
  serving.add(rules(2000), std::make_unique<Doubler>(1'000'000));
  ASSERT_TRUE(serving.warm_up().ok());
  PlanChange change = to_mode("same", [] { return Status(Error{Code::permission, "no", ""}); });
  change.plan.trainings_per_s.clear();
  change.mode_is_set = [] { return true; };
  change.followed = [&] { stop = true; };
  serving.change(std::move(change));
  ASSERT_TRUE(serving.run(60).ok());
  const ServingResult result = serving.snapshot();
  EXPECT_EQ(result.switches, 0u);
  EXPECT_EQ(result.services[0].planned_batch, 4);
  ASSERT_EQ(result.replans.size(), 1u);
  EXPECT_EQ(result.replans[0].why, "a test");
}

TEST(LiveServing, EachMinibatchIsTold) {
  std::atomic<int> batches{0}, steps{0};
  std::atomic<bool> stop{false};
  LiveServing serving({.warm_up_s = 0.1,
                       .stop = &stop,
                       .ran = [&](const Decision& what, int64_t begin_ns, int64_t end_ns) {
                         EXPECT_LT(begin_ns, end_ns);
                         ++(what.act == Act::infer ? batches : steps);
                         stop = batches > 0 && steps > 0;
                       }});
  Counts counts;
  serving.add(rules(2000), std::make_unique<Doubler>(1'000'000));
  serving.add(TrainingRules{.name = "learn"}, std::make_unique<Trainer>(counts));
  ASSERT_TRUE(serving.warm_up().ok());
  serving.submit(0, Doubler(0).example(1));
  ASSERT_TRUE(serving.run(60).ok());
  const ServingResult result = serving.snapshot();
  EXPECT_EQ(static_cast<size_t>(batches), result.services[0].batches);
  EXPECT_EQ(static_cast<size_t>(steps), result.trainings[0].minibatches);
  EXPECT_GT(steps, 0);
}

TEST(LiveServing, WhatIsSavedIsTold) {
  int told = 0, steps_told = 0;
  Counts counts;
  std::atomic<bool> stop{false};
  LiveServing serving({.checkpoint_s = 0.05,
                       .warm_up_s = 0.1,
                       .stop = &stop,
                       .ran = [&](const Decision&, int64_t, int64_t) { stop = told > 2; },
                       .saved =
                           [&] {
                             ++told;
                             steps_told = counts.steps;
                             return Status();
                           }});
  serving.add(rules(2000), std::make_unique<Doubler>(1'000'000));
  serving.add(TrainingRules{.name = "learn"}, std::make_unique<Trainer>(counts));
  ASSERT_TRUE(serving.warm_up().ok());
  ASSERT_TRUE(serving.run(60).ok());
  EXPECT_GE(told, 3);
  // The save that ends the run is not told; there is none where nothing was trained since the last.
  EXPECT_EQ(counts.saves - told, counts.steps > steps_told ? 1 : 0);
}

}  // namespace
}  // namespace flyball
