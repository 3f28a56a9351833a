// What fails while something is served: each failure is told, and what can go on does.
#include <gmock/gmock.h>

#include <stdexcept>

#include "schedule/live/live_serving_testing.h"

namespace flyball {
namespace {

/// Refuses to run what begins with 'e', throws at 't', forgets an answer at 'f'; else answers.
class Failing final : public InferenceRunner {
 public:
  Failing() {
    info_.name = "double";
    info_.largest_batch = 1;
  }
  const ServiceInfo& info() const override { return info_; }
  Result<std::vector<std::vector<StoredTensor>>> run(
      std::span<const InferRequest> requests) override {
    sleep_until_ns(monotonic_ns() + 1'000'000);
    const StoredTensor& text = requests.front().inputs.front();
    if (text.bytes[0] == 'e') return Error{Code::io, "no memory\nwhere it was", ""};
    if (text.bytes[0] == 't') throw std::runtime_error("a kernel is missing");
    std::vector<std::vector<StoredTensor>> answers;
    if (text.bytes[0] != 'f')
      for (const InferRequest& request : requests) answers.push_back({request.inputs.front()});
    return answers;
  }
  InferRequest example(int64_t samples) const override {
    return {{{"text", DType::uint8, {samples}, std::string("x")}}, samples, [](InferAnswer) {}};
  }

 private:
  ServiceInfo info_;
};

/// A request whose outcome is added to `said`: "" of an answer.
InferRequest request_that_tells(const char* text, std::vector<std::string>& said) {
  InferRequest request;
  request.inputs.push_back({"text", DType::uint8, {1}, text});
  request.done = [&said](const InferAnswer& answer) {
    EXPECT_EQ(answer.refused, RefusalReason::none);
    said.push_back(answer.outputs.ok() ? "" : answer.outputs.error().message);
  };
  return request;
}

size_t failed_in_windows(const LiveServing& serving) {
  size_t failed = 0;
  for (const TimelineWindow& window : serving.timeline().windows())
    failed += window.services[0].failed;
  return failed;
}

TEST(LiveServing, WhatTheNetworkCouldNotRunIsCountedAsFailedAndSaysWhy) {
  LiveServing serving({.warm_up_s = 0.1});
  ServiceRules one_by_one = rules(60'000);
  one_by_one.largest_batch = 1;
  serving.add(one_by_one, std::make_unique<Failing>());
  ASSERT_TRUE(serving.warm_up().ok());
  std::vector<std::string> said;
  for (const char* text : {"a", "e", "t", "f", "b"})
    serving.submit(0, request_that_tells(text, said));
  serving.drain();
  ASSERT_TRUE(serving.run(0).ok()) << "it goes on";
  EXPECT_THAT(said,
              testing::ElementsAre("", "double could not run: no memory",
                                   "double could not run: a kernel is missing",
                                   "double could not run: it gave 0 answers to 1 requests", ""));
  const ServiceResult service = serving.snapshot().services[0];
  EXPECT_EQ(service.arrived, 5u);
  EXPECT_EQ(service.answered, 2u);
  EXPECT_EQ(service.failed, 3u);
  EXPECT_EQ(service.latency.count(), 2u) << "what failed has no latency";
  EXPECT_DOUBLE_EQ(service.late_share(), 0.6);
  EXPECT_EQ(failed_in_windows(serving), 3u);
}

// An answer that holds NaN has no JSON: of one batch this request fails, and the others do not.
TEST(LiveServing, WhatAClientCannotBeToldIsCountedAsFailed) {
  LiveServing serving({.warm_up_s = 0.1});
  ServiceRules together = rules(60'000);
  together.largest_batch = 3;
  serving.add(together, std::make_unique<Failing>());
  ASSERT_TRUE(serving.warm_up().ok());
  std::vector<std::string> said;
  for (const bool tellable : {true, false, true}) {
    InferRequest request = request_that_tells("a", said);
    request.can_tell = [tellable](const std::vector<StoredTensor>& outputs) {
      EXPECT_EQ(outputs.size(), 1u);
      return tellable ? Status() : Error{Code::internal, "no word for it", ""};
    };
    request.done = [told = std::move(request.done)](const InferAnswer& answer) {
      EXPECT_EQ(answer.batch, 3);
      told(answer);
    };
    serving.submit(0, std::move(request));
  }
  serving.drain();
  ASSERT_TRUE(serving.run(0).ok());
  EXPECT_THAT(said, testing::ElementsAre("", "no word for it", ""));
  const ServiceResult service = serving.snapshot().services[0];
  EXPECT_EQ(service.answered, 2u);
  EXPECT_EQ(service.failed, 1u);
  EXPECT_EQ(service.batches, 1u);
  EXPECT_EQ(service.latency.count(), 2u);
  EXPECT_EQ(failed_in_windows(serving), 1u);
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

TEST(LiveServing, ATrainingThatFailsAndCannotBeKeptSaysBoth) {
  LiveServing serving({.warm_up_s = 0.1});
  Counts counts, others;
  serving.add(rules(2000), std::make_unique<Doubler>(1'000'000));
  serving.add(TrainingRules{.name = "learn"}, std::make_unique<Trainer>(counts, 20, false));
  serving.add(TrainingRules{.name = "other"}, std::make_unique<Trainer>(others));
  ASSERT_TRUE(serving.warm_up().ok());
  const Status ran = serving.run(0);
  ASSERT_FALSE(ran.ok());
  EXPECT_EQ(ran.error().message,
            "learn: the disk is gone; and then: checkpoint of learn: no space left");
  EXPECT_EQ(ran.error().hint, "make room");
  EXPECT_EQ(others.saves, 1) << "the other one is kept all the same";
}

TEST(LiveServing, AModeThatCannotBeSetLeavesThePlanAsItWas) {
  std::atomic<bool> stop{false};
  LiveServing serving({.warm_up_s = 0.1, .stop = &stop});
  serving.add(rules(2000), std::make_unique<Doubler>(1'000'000));
  ASSERT_TRUE(serving.warm_up().ok());
  const int64_t batch = serving.snapshot().services[0].planned_batch;
  ASSERT_NE(batch, 4);
  PlanChange change = to_mode("none", [] {
    return Status(Error{Code::permission, "not root", ""});
  });
  change.followed = [&] { stop = true; };
  serving.change(std::move(change));
  ASSERT_TRUE(serving.run(60).ok());
  const ServingResult result = serving.snapshot();
  EXPECT_EQ(result.switches, 0u);
  EXPECT_EQ(result.services[0].planned_batch, batch);
  ASSERT_EQ(result.replans.size(), 1u);
  EXPECT_EQ(result.replans[0].why, "a test, but the mode cannot be set: not root");
}

}  // namespace
}  // namespace flyball
