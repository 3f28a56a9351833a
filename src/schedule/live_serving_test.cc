#include "schedule/live_serving.h"

#include <gmock/gmock.h>

#include <thread>

#include "base/clock.h"

namespace flyball {
namespace {

/// Answers the number that a request brings, doubled; takes so long for each batch.
class Doubler final : public InferenceRunner {
 public:
  explicit Doubler(int64_t takes_ns) : takes_ns_(takes_ns) {
    info_.name = "double";
    info_.largest_batch = 8;
  }
  const ServiceInfo& info() const override { return info_; }
  Result<std::vector<std::vector<StoredTensor>>> run(
      std::span<const InferRequest> requests) override {
    sleep_until_ns(monotonic_ns() + takes_ns_);
    std::vector<std::vector<StoredTensor>> answers;
    for (const InferRequest& request : requests) {
      StoredTensor answer = request.inputs.front();
      answer.bytes += answer.bytes;
      answers.push_back({answer});
    }
    return answers;
  }
  InferRequest example(int64_t samples) const override {
    InferRequest request;
    request.samples = samples;
    request.inputs.push_back({"text", DType::uint8, {samples}, std::string("x")});
    request.done = [](const InferAnswer&) {};
    return request;
  }

 private:
  int64_t takes_ns_;
  ServiceInfo info_;
};

struct Counts {
  std::atomic<int> steps{0}, saves{0};
};

class Trainer final : public TrainingRunner {
 public:
  explicit Trainer(Counts& counts, int fails_at = 0) : counts_(counts), fails_at_(fails_at) {}
  Status step() override {
    sleep_until_ns(monotonic_ns() + 2'000'000);
    if (++counts_.steps == fails_at_) return Error{Code::io, "the disk is gone", ""};
    return {};
  }
  Status save() override {
    ++counts_.saves;
    return {};
  }

 private:
  Counts& counts_;
  int fails_at_;
};

ServiceRules rules(int64_t latency_ms) {
  ServiceRules made;
  made.name = "double";
  made.latency_ns = latency_ms * 1'000'000;
  return made;
}

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
  const LiveResult result = serving.snapshot();
  EXPECT_EQ(right + wrong, 100);
  EXPECT_EQ(static_cast<size_t>(right), result.services[0].answered);
  EXPECT_EQ(result.services[0].arrived, 100u);
  EXPECT_EQ(result.services[0].answered + result.services[0].refused, 100u);
  EXPECT_EQ(static_cast<size_t>(counts.steps - before), result.trainings[0].minibatches);
  EXPECT_GT(result.trainings[0].minibatches, 5u);
  EXPECT_EQ(counts.saves, 1);  // at the end
  LiveWindow sum{.services = {{}}, .trainings = {{}}};
  for (const LiveWindow& window : serving.timeline().windows()) sum.merge(window);
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
  ASSERT_TRUE(serving.warm_up().ok());
  submit();
  serving.drain();
  submit();
  ASSERT_TRUE(serving.run(0).ok());
  EXPECT_THAT(reasons, testing::ElementsAre(RefusalReason::not_ready, RefusalReason::draining,
                                            RefusalReason::none));
  EXPECT_FALSE(serving.ready());
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

TEST(LiveServing, ATrainingThatFailsEndsTheRunAfterADrain) {
  LiveServing serving({.warm_up_s = 0.1});
  Counts counts;
  serving.add(rules(2000), std::make_unique<Doubler>(1'000'000));
  serving.add(TrainingRules{.name = "learn"}, std::make_unique<Trainer>(counts, 20));
  ASSERT_TRUE(serving.warm_up().ok());
  const Status ran = serving.run(0);
  ASSERT_FALSE(ran.ok());
  EXPECT_EQ(ran.error().message, "learn: the disk is gone");
}

TEST(LiveServing, CheckpointsComeAtTheirInterval) {
  LiveServing serving({.checkpoint_s = 0.1, .warm_up_s = 0.1});
  Counts counts;
  serving.add(rules(2000), std::make_unique<Doubler>(1'000'000));
  serving.add(TrainingRules{.name = "learn"}, std::make_unique<Trainer>(counts));
  ASSERT_TRUE(serving.warm_up().ok());
  ASSERT_TRUE(serving.run(0.6).ok());
  EXPECT_GE(counts.saves, 3);
}

}  // namespace
}  // namespace flyball
