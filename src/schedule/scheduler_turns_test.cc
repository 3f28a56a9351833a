// Who wants the accelerator, in moments that are named.
#include <gmock/gmock.h>

#include "schedule/schedule_testing.h"

namespace flyball {
namespace {

struct Trained {
  Scheduler scheduler{{}, {{.name = "a"}, {.name = "b"}}};
  int64_t now = 0;

  Trained() {
    for (size_t t = 0; t < 2; ++t) scheduler.training_time(t) = minibatch_of(10);
  }
  /// Runs what is decided on for so long. Returns who it was; −1: nobody.
  int turn(int64_t took_ms = 10) {
    const Decision what = scheduler.decide(now);
    if (what.act != Act::train) return -1;
    scheduler.ended(now += took_ms * ms);
    return static_cast<int>(what.who);
  }
};

TEST(SchedulerTurns, WhoDoesNotWantIsPassedOver) {
  Trained trained;
  trained.scheduler.set_wants(0, false);
  EXPECT_EQ(trained.turn(), 1);
  EXPECT_EQ(trained.turn(), 1);
  trained.scheduler.set_wants(1, false);
  EXPECT_EQ(trained.turn(), -1);
  trained.scheduler.set_wants(0, true);
  EXPECT_EQ(trained.turn(), 0);
}

TEST(SchedulerTurns, WhoComesBackHasASecondOfCreditAndNoMore) {
  Trained trained;
  trained.scheduler.set_wants(0, false);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(trained.turn(), 1);  // ten seconds
  trained.scheduler.set_wants(0, true);
  int first = 0;
  while (trained.turn() == 0) ++first;
  EXPECT_NEAR(first, 100, 2);
}

// As a client that asks again after each turn: between two of them nobody else wants.
TEST(SchedulerTurns, WhoComesWhileTheOtherOneIsBetweenTwoTurnsHasNoMoreCredit) {
  Trained trained;
  trained.scheduler.set_wants(0, false);
  const auto turn_of_b = [&] {
    const Decision what = trained.scheduler.decide(trained.now);
    trained.scheduler.set_wants(1, false);
    trained.scheduler.ended(trained.now += 10 * ms);
    return what.who;
  };
  for (int i = 0; i < 1000; ++i) {  // ten seconds
    ASSERT_EQ(turn_of_b(), 1u);
    if (i < 999) trained.scheduler.set_wants(1, true);
  }
  trained.scheduler.set_wants(0, true);
  trained.scheduler.set_wants(1, true);
  int first = 0;
  while (first < 1000 && trained.turn() == 0) ++first;
  EXPECT_NEAR(first, 100, 2);
}

// One after the other wants again, the one that was away before the one that was not.
TEST(SchedulerTurns, WhenNobodyWantedTheOrderInWhichTheyWantAgainIsNothing) {
  Trained trained;
  trained.scheduler.set_wants(0, false);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(trained.turn(), 1);
  int first = 0;
  for (bool of_a = true; of_a && first < 1000; first += of_a) {
    for (size_t t = 0; t < 2; ++t) trained.scheduler.set_wants(t, false);
    for (size_t t = 0; t < 2; ++t) trained.scheduler.set_wants(t, true);
    of_a = trained.turn() == 0;
  }
  EXPECT_NEAR(first, 100, 2);
}

TEST(SchedulerTurns, ShortAbsencesLeaveSharesAsTheyAre) {
  Scheduler scheduler({}, {{.name = "a", .share = 3}, {.name = "b", .share = 1}});
  for (size_t t = 0; t < 2; ++t) scheduler.training_time(t) = minibatch_of(10);
  int64_t now = 0, of_a = 0;
  for (int i = 0; i < 400; ++i) {
    const Decision what = scheduler.decide(now);
    scheduler.set_wants(what.who, false);
    scheduler.ended(now += 10 * ms);
    scheduler.set_wants(what.who, true);
    of_a += what.who == 0;
  }
  EXPECT_NEAR(static_cast<double>(of_a), 300, 2);
}

TEST(SchedulerTurns, IsBehindWhileAnotherOneThatWantsHasHadMore) {
  Trained trained;
  EXPECT_FALSE(trained.scheduler.behind(0));
  const int first = trained.turn();
  const auto other = static_cast<size_t>(1 - first);
  EXPECT_TRUE(trained.scheduler.behind(other));
  EXPECT_FALSE(trained.scheduler.behind(static_cast<size_t>(first)));
  trained.scheduler.set_wants(static_cast<size_t>(first), false);
  EXPECT_FALSE(trained.scheduler.behind(other));
}

TEST(SchedulerTurns, WhatNobodyTimedStartsWhereItIsAllowedAndNobodyWaits) {
  for (const bool untimed : {false, true}) {
    Scheduler scheduler({{.name = "s", .latency_ns = 50 * ms}},
                        {{.name = "t", .share = 1, .untimed = untimed}});
    scheduler.inference_time(0) = minibatch_of(10);
    EXPECT_EQ(scheduler.decide(0).act, untimed ? Act::train : Act::wait);
    if (untimed) scheduler.ended(30 * ms);
    scheduler.arrive(0, 1, 1, 30 * ms);
    EXPECT_EQ(scheduler.decide(30 * ms).act, Act::infer);
  }
}

TEST(SchedulerTurns, AnUnusualTurnTeachesNothingAndIsCharged) {
  Trained trained;
  const Decision what = trained.scheduler.decide(0);
  trained.scheduler.ended(500 * ms, Ending::unusual);
  EXPECT_EQ(trained.scheduler.training_time(what.who).upper_ns(1), 10 * ms);
  trained.now = 500 * ms;
  for (int i = 0; i < 40; ++i) EXPECT_NE(trained.turn(), static_cast<int>(what.who));
}

TEST(SchedulerTurns, NothingIsKeptFreeForAServiceThatNobodyCanAsk) {
  Scheduler scheduler({{.name = "s", .latency_ns = 20 * ms}}, {{.name = "t"}});
  scheduler.inference_time(0) = minibatch_of(15);
  scheduler.training_time(0) = minibatch_of(10);
  EXPECT_EQ(scheduler.decide(0).act, Act::wait);
  EXPECT_EQ(scheduler.too_short_for(0), 0);
  scheduler.set_attended(0, false);
  EXPECT_EQ(scheduler.decide(1 * ms).act, Act::train);
  EXPECT_EQ(scheduler.too_short_for(0), -1);
}

}  // namespace
}  // namespace flyball
