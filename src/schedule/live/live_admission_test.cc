// Who arrives while something else has the accelerator.
#include <gmock/gmock.h>

#include "schedule/live/live_serving_testing.h"

namespace flyball {
namespace {

TEST(LiveServing, WhoCannotBeAnsweredForASwitchIsRefusedWhenItArrives) {
  for (const Overload overload : {Overload::refuse, Overload::late}) {
    std::atomic<bool> stop{false};
    LiveServing serving({.warm_up_s = 0.1, .stop = &stop});
    ServiceRules two_seconds = rules(2000);
    two_seconds.queue.overload = overload;
    serving.add(two_seconds, std::make_unique<Doubler>(1'000'000));
    ASSERT_TRUE(serving.warm_up().ok());
    std::vector<InferAnswer> answers;
    PlanChange change = to_mode("slow", [&] {
      serving.submit(0, asking(answers));
      return Status();
    });
    change.switch_s = 3600;
    change.plan.trainings_per_s.clear();  // there is none
    change.followed = [&] { stop = true; };
    serving.change(std::move(change));
    serving.submit(0, asking(answers));  // before it begins
    ASSERT_TRUE(serving.run(60).ok());
    ASSERT_EQ(answers.size(), 2u);
    for (const InferAnswer& answer : answers) {
      EXPECT_EQ(answer.outputs.ok(), overload == Overload::late);
      if (overload == Overload::refuse) {
        EXPECT_EQ(answer.refused, RefusalReason::overload);
        EXPECT_GT(answer.retry_after_s, 3500);
      }
    }
  }
}

/// Asks whenever it is saved, which takes a while, and stops the run with the fourth time.
class AskingTrainer final : public TrainingRunner {
 public:
  AskingTrainer(LiveServing& serving, std::vector<InferAnswer>& answers, std::atomic<bool>& stop)
      : serving_(serving), answers_(answers), stop_(stop) {}
  Status step() override {
    sleep_until_ns(monotonic_ns() + 2'000'000);
    return {};
  }
  Status save() override {
    if (serving_.ready()) {
      serving_.submit(0, asking(answers_));
      stop_ = ++asked_ == 4;
    }
    sleep_until_ns(monotonic_ns() + 300'000'000);
    return {};
  }

 private:
  LiveServing& serving_;
  std::vector<InferAnswer>& answers_;
  std::atomic<bool>& stop_;
  int asked_ = 0;
};

TEST(LiveServing, WhoCannotBeAnsweredForACheckpointIsRefusedWhenItArrives) {
  std::atomic<bool> stop{false};
  LiveServing serving({.checkpoint_s = 0.01, .warm_up_s = 0.1, .stop = &stop});
  std::vector<InferAnswer> answers;
  serving.add(rules(200), std::make_unique<Doubler>(1'000'000));
  serving.add(TrainingRules{.name = "learn"},
              std::make_unique<AskingTrainer>(serving, answers, stop));
  ASSERT_TRUE(serving.warm_up().ok());
  ASSERT_TRUE(serving.run(60).ok());
  ASSERT_EQ(answers.size(), 4u);
  for (size_t i = 1; i < answers.size(); ++i)  // the first checkpoint tells how long one takes
    EXPECT_EQ(answers[i].refused, RefusalReason::overload) << "checkpoint " << i;
}

}  // namespace
}  // namespace flyball
