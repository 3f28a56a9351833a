#include "tune/plan_together.h"

#include <gmock/gmock.h>

#include <cmath>

#include "profile/trials/chosen_modes.h"
#include "profile/trials/twin_profiler.h"
#include "tune/planning.h"

namespace flyball {
namespace {

using testing::HasSubstr;

class TogetherTest : public testing::Test {
 protected:
  void open(const std::string& name) { board_ = open_board(name).value(); }
  /// `batch` 0: as the profiler offers it.
  std::unique_ptr<Profiler> role(const std::string& network, Phase phase, double batch = 0) {
    TwinTrialOptions options;
    if (batch > 0) options.open = {named_axis(axis::batch_size, {batch})};
    auto profiler = make_twin_profiler(*board_, *known_twin_workload(network, phase), options);
    EXPECT_TRUE(profiler.ok());
    return with_modes(*std::move(profiler), *parse_mode_choice("8", 1)).value();
  }
  Plan plan(std::unique_ptr<Profiler> train, std::unique_ptr<Profiler> serve, Request request) {
    std::vector<std::unique_ptr<Profiler>> profilers;
    if (train) profilers.push_back(std::move(train));
    profilers.push_back(std::move(serve));
    const SharedBoard shared = share_board(std::move(profilers)).value();
    EXPECT_TRUE(shared.simulated());
    request.strategy = "brute-force";
    auto made = make_plan(shared, nullptr, request);
    EXPECT_TRUE(made.ok()) << made.error().message;
    return *std::move(made);
  }
  std::optional<Together> together(const Plan& made, uint64_t seed = 1) const {
    auto tried = try_together(*board_->twin(), made, seed);
    EXPECT_TRUE(tried.ok()) << tried.error().message;
    return *std::move(tried);
  }
  static Request asked(double rate_hz, double latency_ms) {
    Request request;
    request.kind = "concurrent";
    request.rates_hz = {rate_hz};
    request.latencies_ms = {latency_ms};
    return request;
  }

  /// ResNet-18 trains beside MobileNetV3 on the AGX Orin, within 40 W and a second.
  Plan within_40w(double rate_hz) {
    open("twin:orin_agx");
    Request request = asked(rate_hz, 1000);
    request.power_budget_w = 40;
    return plan(role("resnet18", Phase::train), role("mobilenet_v3", Phase::infer), request);
  }

  std::unique_ptr<Board> board_;
};

TEST_F(TogetherTest, BothRolesTakeTurnsAsThePlanHasIt) {
  const Plan made = within_40w(50);
  ASSERT_TRUE(made.answer);
  const auto both = together(made);
  ASSERT_TRUE(both);
  EXPECT_EQ(both->refused, "");
  EXPECT_GE(both->seconds, 60);
  EXPECT_GT(both->planned_per_s, 1);
  EXPECT_GT(both->train_per_s, 0.85 * both->planned_per_s);
  // The equations round down to whole minibatches of a window.
  const double batch = made.problem->candidates->batch(1, made.answer->choice[1]);
  EXPECT_LT(both->train_per_s, both->planned_per_s + 50 / batch);
  EXPECT_GT(both->latency_ms, 0);
  EXPECT_LE(both->latency_ms, 1000);
  EXPECT_EQ(both->late, 0);
  EXPECT_LE(both->hungrier_w, 1.03 * 40);
  EXPECT_EQ(together(made)->train_per_s, both->train_per_s);
  EXPECT_NE(together(made, 2)->latency_ms, both->latency_ms);  // other noise
}

// Batches of 8 and of 32 promise the same; those of 8 leave no slack, and in turns half of it is
// lost.
TEST_F(TogetherTest, OfEqualPlansTheOneThatIsReachedIsChosen) {
  const Plan made = within_40w(60);
  ASSERT_TRUE(made.answer);
  const auto both = together(made);
  ASSERT_TRUE(both);
  EXPECT_GT(both->train_per_s, 0.9 * both->planned_per_s);
}

// Nor are requests loaded when both run: the plan was made of inference whose requests were at
// hand.
TEST_F(TogetherTest, RequestsAreAtHandAsThePlanHasIt) {
  open("twin:orin_agx");
  const Plan made =
      plan(role("resnet18", Phase::train), role("mobilenet_v3", Phase::infer), asked(350, 500));
  ASSERT_TRUE(made.answer) << made.infeasible->message;
  const auto both = together(made);
  ASSERT_TRUE(both);
  EXPECT_LE(both->latency_ms, 500);
  EXPECT_EQ(both->late_pct, 0);
}

TEST_F(TogetherTest, WhatFitsAloneAndNotTogetherIsRefused) {
  open("twin:orin_nano");
  const Plan made = plan(role("mobilenet_v3", Phase::train, 64), role("resnet50", Phase::infer, 16),
                         asked(4, 60000));
  ASSERT_TRUE(made.answer) << made.infeasible->message;
  const auto both = together(made);
  ASSERT_TRUE(both);
  EXPECT_THAT(both->refused, HasSubstr("together need more memory"));
  EXPECT_TRUE(std::isnan(both->train_per_s));
  EXPECT_GT(both->planned_per_s, 0);
}

TEST_F(TogetherTest, OtherPlansAreNotTried) {
  open("twin:orin_agx");
  Request serving = asked(60, 1000);
  serving.kind = "inference";
  EXPECT_FALSE(together(plan(nullptr, role("mobilenet_v3", Phase::infer), serving)));
  Request apart = asked(60, 1000);
  apart.separate_modes = true;
  const Plan separate =
      plan(role("resnet18", Phase::train), role("mobilenet_v3", Phase::infer), apart);
  ASSERT_TRUE(separate.answer);
  EXPECT_FALSE(together(separate));
  const Plan none =
      plan(role("resnet18", Phase::train), role("mobilenet_v3", Phase::infer), asked(60, 1));
  ASSERT_FALSE(none.answer);
  EXPECT_FALSE(together(none));
}

}  // namespace
}  // namespace flyball
