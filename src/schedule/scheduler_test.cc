#include "schedule/scheduler.h"

#include <gmock/gmock.h>

#include <map>

#include "schedule/schedule_testing.h"

namespace flyball {
namespace {

Scheduler one_service(int64_t latency_ms, int64_t batch, Overload overload = Overload::refuse,
                      size_t bound = 4096) {
  Scheduler scheduler({{"net", latency_ms * ms, batch, bound, overload}}, {{"learn"}}, {},
                      {.kind = Preference::Kind::training});
  scheduler.inference_time(0) = batch_curve(10, 1, 64);
  scheduler.training_time(0) = minibatch_of(40);
  return scheduler;
}

Scheduler untrained(int64_t latency_ms, int64_t batch, Overload overload = Overload::refuse) {
  Scheduler scheduler({{"net", latency_ms * ms, batch, 4096, overload}}, {});
  scheduler.inference_time(0) = batch_curve(10, 1, 64);
  return scheduler;
}

TEST(Scheduler, TrainsWhileNobodyAsks) {
  Scheduler scheduler = one_service(100, 16);
  EXPECT_EQ(scheduler.decide(0).act, Act::train);
}

TEST(Scheduler, WithoutTrainingABatchStartsAtOnce) {
  Scheduler scheduler = untrained(1000, 16);
  EXPECT_EQ(scheduler.decide(0).act, Act::wait);
  scheduler.arrive(0, 1, 1, 5 * ms);
  const Decision decision = scheduler.decide(5 * ms);
  EXPECT_EQ(decision.act, Act::infer);
  EXPECT_EQ(decision.samples, 1);
}

TEST(Scheduler, WithTrainingABatchStartsAtItsLatestSafeTime) {
  Scheduler scheduler = one_service(200, 16);
  scheduler.arrive(0, 1, 1, 0);
  // Deadline at 200, the answer takes at most 11 with the request that may come: 40-ms minibatches
  // may start until 149.
  EXPECT_EQ(scheduler.decide(149 * ms).act, Act::train);
  scheduler.ended(189 * ms);
  EXPECT_EQ(scheduler.decide(189 * ms).act, Act::infer);
  Scheduler later = one_service(200, 16);
  later.arrive(0, 1, 1, 0);
  EXPECT_EQ(later.decide(151 * ms).act, Act::infer);
}

TEST(Scheduler, WithSoonAnswersPreferredARequestWaitsForTheMinibatchThatRunsAlone) {
  Scheduler scheduler({{"net", 500 * ms, 16, 4096, Overload::refuse, 5}}, {{"learn"}});
  scheduler.inference_time(0) = batch_curve(2, 2, 16);
  scheduler.training_time(0) = minibatch_of(40);
  EXPECT_EQ(scheduler.decide(0).act, Act::train);
  scheduler.arrive(0, 1, 1, 10 * ms);
  scheduler.ended(40 * ms);
  EXPECT_EQ(scheduler.gathers(0), 1);
  EXPECT_EQ(scheduler.decide(40 * ms).act, Act::infer);
  scheduler.ended(42 * ms);
  EXPECT_EQ(scheduler.decide(42 * ms).act, Act::train);
}

TEST(Scheduler, AMarginIsKeptOfTheBudget) {
  Scheduler scheduler(
      {{.name = "net", .latency_ns = 200 * ms, .largest_batch = 16, .margin_ns = 20 * ms}},
      {{"learn"}}, {}, {.kind = Preference::Kind::training});
  scheduler.inference_time(0) = batch_curve(10, 1, 64);
  scheduler.training_time(0) = minibatch_of(40);
  scheduler.arrive(0, 1, 1, 0);
  EXPECT_EQ(scheduler.decide(131 * ms).act, Act::infer) << "the answer has to be there at 180";
}

TEST(Scheduler, ABudgetTooShortForATrainingMinibatchIsNamed) {
  Scheduler scheduler = one_service(49, 16);
  EXPECT_EQ(scheduler.too_short_for(0), 0);
  EXPECT_EQ(scheduler.decide(0).act, Act::wait);
  EXPECT_EQ(one_service(50, 16).too_short_for(0), -1);
}

TEST(Scheduler, TheLargestBatchBounds) {
  Scheduler scheduler = untrained(1000, 4);
  for (uint64_t id = 0; id < 10; ++id) scheduler.arrive(0, id, 1, 0);
  EXPECT_EQ(scheduler.decide(0).samples, 4);
  EXPECT_EQ(scheduler.batch().front().id, 0u);
  EXPECT_EQ(scheduler.waiting(0), 6u);
}

TEST(Scheduler, RequestsOfSeveralSamplesStayWhole) {
  Scheduler scheduler = untrained(1000, 8);
  scheduler.arrive(0, 1, 5, 0);
  scheduler.arrive(0, 2, 5, 0);
  const Decision decision = scheduler.decide(0);
  EXPECT_EQ(decision.samples, 5);
  EXPECT_EQ(scheduler.batch().size(), 1u);
}

TEST(Scheduler, ASmallerBatchIsTakenWhereTheLargerOneWouldBeLate) {
  Scheduler scheduler = untrained(100, 16, Overload::late);
  scheduler.arrive(0, 1, 1, 0);
  for (uint64_t id = 2; id < 7; ++id) scheduler.arrive(0, id, 1, 60 * ms);
  // 88 ms: one request fits before 100 (10 ms), six (15 ms) do not; the others have until 160.
  EXPECT_EQ(scheduler.decide(88 * ms).samples, 3);
}

TEST(Scheduler, OverloadRefusesWithATimeToRetry) {
  Scheduler scheduler = untrained(30, 1);
  EXPECT_EQ(scheduler.arrive(0, 1, 1, 0).refused, RefusalReason::none);
  EXPECT_EQ(scheduler.arrive(0, 2, 1, 0).refused, RefusalReason::none);
  EXPECT_EQ(scheduler.arrive(0, 3, 1, 0).refused, RefusalReason::none);
  const Admission fourth = scheduler.arrive(0, 4, 1, 0);
  EXPECT_EQ(fourth.refused, RefusalReason::overload);
  EXPECT_EQ(fourth.retry_after_ns, 10 * ms);
  EXPECT_EQ(scheduler.arrive(0, 5, 1, 10 * ms).refused, RefusalReason::overload);
}

// One request each millisecond, of which a batch of n takes 9 + n ms; the first runs until 10.
class OneEachMillisecond {
 public:
  explicit OneEachMillisecond(int64_t latency_ms)
      : scheduler_({{"net", latency_ms * ms, 16, 4096, Overload::refuse, 1000}}, {}) {
    scheduler_.inference_time(0) = batch_curve(10, 1, 64);
    EXPECT_TRUE(takes(0));
    EXPECT_EQ(scheduler_.decide(0).samples, 1);
  }
  bool takes(int64_t now_ms) {
    return scheduler_.arrive(0, static_cast<uint64_t>(now_ms), 1, now_ms * ms).refused ==
           RefusalReason::none;
  }
  int64_t next_batch() {
    scheduler_.ended(10 * ms);
    return scheduler_.decide(10 * ms).samples;
  }

 private:
  Scheduler scheduler_;
};

// Those who may come later make the batch larger, and its first request is in time all the same.
TEST(Scheduler, WhoMayJoinABatchRefusesNobody) {
  OneEachMillisecond service(28);
  for (int64_t now_ms = 1; now_ms <= 10; ++now_ms) EXPECT_TRUE(service.takes(now_ms)) << now_ms;
  EXPECT_EQ(service.next_batch(), 10) << "which ends at 29, when the first has to be answered";
}

TEST(Scheduler, WhoWouldBeCutOffABatchIsJudgedByTheNext) {
  OneEachMillisecond service(23);
  for (int64_t now_ms = 1; now_ms <= 5; ++now_ms) EXPECT_TRUE(service.takes(now_ms)) << now_ms;
  EXPECT_FALSE(service.takes(6)) << "after five, who end at 24, it would be answered at 34";
  EXPECT_EQ(service.next_batch(), 5);
}

// Who is the first of a batch is taken where half of those who are expected can be with it.
TEST(Scheduler, TheFirstOfABatchIsJudgedByABatchThatIsWorthIt) {
  EXPECT_TRUE(OneEachMillisecond(23).takes(1)) << "five, of the nine who come until 10, end at 24";
  EXPECT_FALSE(OneEachMillisecond(22).takes(1)) << "alone it would be answered at 20";
}

// At more than can be answered, too: batches as large as their first allows, cut for nobody else.
TEST(Scheduler, WhoIsTakenIsInTimeWhereMoreComeThanCanBeAnswered) {
  for (const auto& [largest, least] :
       std::map<int64_t, uint64_t>{{1, 990}, {4, 3000}, {16, 5000}, {64, 5000}}) {
    Scheduler scheduler({{"net", 40 * ms, largest, 4096, Overload::refuse, 800}}, {});
    scheduler.inference_time(0) = batch_curve(10, 1, 64);
    int64_t now = 0, next = 0;
    uint64_t answered = 0;
    while (now < 10'000 * ms) {
      const int64_t samples = scheduler.decide(now).samples;
      const int64_t ends = samples > 0 ? now + (9 + samples) * ms : next;
      for (; next < ends + (samples > 0 ? 0 : 1); next += 1'250'000)
        scheduler.arrive(0, static_cast<uint64_t>(next), 1, next);
      for (const Waiting& request : scheduler.batch())
        ASSERT_LE(ends, request.deadline_ns) << "largest batch " << largest;
      answered += static_cast<uint64_t>(samples);
      now = ends;
      if (samples > 0) scheduler.ended(now);
    }
    // Of 100 and 308/s that batches of 1 and 4 allow; two of 11 last 40 ms: those allow 550/s.
    EXPECT_GT(answered, least) << "largest batch " << largest;
  }
}

// Pauses of the machine are no reason to refuse for good: what refuses runs nothing, and so would
// never learn that they are over.
TEST(Scheduler, AnIdleServiceThatRefusedForASecondTriesAgain) {
  Scheduler scheduler = untrained(100, 16);
  int64_t now = 0;
  for (uint64_t id = 1; id <= 20 && scheduler.arrive(0, id, 1, now).refused == RefusalReason::none;
       ++id) {
    ASSERT_EQ(scheduler.decide(now).act, Act::infer);
    now += 500 * ms;
    scheduler.ended(now);
    scheduler.decide(now);
  }
  EXPECT_EQ(scheduler.arrive(0, 100, 1, now).refused, RefusalReason::overload);
  EXPECT_EQ(scheduler.arrive(0, 101, 1, now + 700 * ms).refused, RefusalReason::overload);
  now += 1400 * ms;
  EXPECT_EQ(scheduler.arrive(0, 102, 1, now).refused, RefusalReason::none);
  ASSERT_EQ(scheduler.decide(now).act, Act::infer);
  scheduler.ended(now + 10 * ms);
  scheduler.decide(now + 10 * ms);
  EXPECT_EQ(scheduler.arrive(0, 103, 1, now + 20 * ms).refused, RefusalReason::none);
}

// Nor is a board that was busy while the service was measured.
TEST(Scheduler, AServiceThatWasMeasuredTooSlowFindsOut) {
  Scheduler scheduler({{"net", 100 * ms, 1}}, {});
  scheduler.inference_time(0) = minibatch_of(150);
  EXPECT_EQ(scheduler.arrive(0, 1, 1, 0).refused, RefusalReason::overload);
  EXPECT_EQ(scheduler.arrive(0, 2, 1, 1000 * ms).refused, RefusalReason::none);
  ASSERT_EQ(scheduler.decide(1000 * ms).act, Act::infer);
  scheduler.ended(1005 * ms);
  EXPECT_EQ(scheduler.inference_time(0).upper_ns(1), 5 * ms);
  for (uint64_t id = 3; id < 20; ++id)
    EXPECT_EQ(scheduler.arrive(0, id, 1, 1005 * ms).refused, RefusalReason::none);
}

// One batch of B was slow once. A's batches have the accelerator a third of the time, so that many
// a request of B finds it busy.
TEST(Scheduler, OneSlowBatchDoesNotMakeAServiceRefuseBesideABusyOne) {
  Scheduler scheduler({{"A", 200 * ms, 1}, {"B", 100 * ms, 8}}, {{"learn"}});
  scheduler.inference_time(0) = minibatch_of(10);
  scheduler.inference_time(1) = batch_curve(5, 0, 8);
  scheduler.training_time(0) = minibatch_of(20);
  scheduler.arrive(1, 0, 1, 0);
  ASSERT_EQ(scheduler.decide(0).who, 1u);
  scheduler.ended(150 * ms);
  int64_t now = 150 * ms, next_a = now, next_b = now;
  size_t refused = 0, trained = 0;
  while (now < 60'000 * ms) {
    for (; next_a <= now; next_a += 30 * ms)
      EXPECT_EQ(scheduler.arrive(0, 1, 1, next_a).refused, RefusalReason::none);
    for (; next_b <= now; next_b += 17 * ms)
      refused += scheduler.arrive(1, 2, 1, next_b).refused != RefusalReason::none;
    const Decision what = scheduler.decide(now);
    if (what.act == Act::wait) {
      now = std::min(next_a, next_b);
      continue;
    }
    trained += what.act == Act::train;
    now += what.act == Act::train ? 20 * ms : what.who == 0 ? 10 * ms : 5 * ms;
    scheduler.ended(now);
  }
  EXPECT_LE(refused, 70u) << "a second's";
  EXPECT_GT(trained, 500u);
}

TEST(Scheduler, AServiceThatIsTooSlowIsTriedEverMoreSeldom) {
  Scheduler scheduler = untrained(5, 16);  // an answer takes 10 ms
  scheduler.decide(0);
  std::vector<int64_t> taken_s;
  for (int64_t now = 0; now < 200'000 * ms; now += 100 * ms) {
    if (scheduler.arrive(0, 1, 1, now).refused == RefusalReason::overload) continue;
    taken_s.push_back(now / (1000 * ms));
    ASSERT_EQ(scheduler.decide(now).act, Act::infer);
    scheduler.ended(now + 10 * ms);
    scheduler.decide(now + 10 * ms);
  }
  EXPECT_THAT(taken_s, testing::ElementsAre(1, 3, 7, 15, 31, 63, 123, 183));
}

TEST(Scheduler, OverloadServesLateWhereAskedAndTheQueueIsBounded) {
  Scheduler scheduler = one_service(30, 1, Overload::late, 5);
  for (uint64_t id = 0; id < 5; ++id)
    EXPECT_EQ(scheduler.arrive(0, id, 1, 0).refused, RefusalReason::none);
  EXPECT_EQ(scheduler.arrive(0, 5, 1, 0).refused, RefusalReason::queue_full);
  // Training stops first.
  for (int64_t now = 0; now < 50 * ms; now += 10 * ms) {
    EXPECT_EQ(scheduler.decide(now).act, Act::infer);
    scheduler.ended(now + 10 * ms);
  }
}

// A batch of k takes 9 + k ms.
TEST(Scheduler, WhoArrivesDuringASwitchIsJudgedByItsEnd) {
  Scheduler scheduler = one_service(100, 16);
  scheduler.occupy(0, 95 * ms);
  const Admission early = scheduler.arrive(0, 1, 1, 0);
  EXPECT_EQ(early.refused, RefusalReason::overload);
  EXPECT_EQ(early.retry_after_ns, 5 * ms);
  EXPECT_EQ(scheduler.arrive(0, 2, 1, 10 * ms).refused, RefusalReason::none);
  scheduler.release();
  EXPECT_EQ(scheduler.arrive(0, 3, 1, 10 * ms).refused, RefusalReason::none);
  Scheduler late = one_service(100, 16, Overload::late);
  late.occupy(0, 95 * ms);
  EXPECT_EQ(late.arrive(0, 1, 1, 0).refused, RefusalReason::none);
}

TEST(Scheduler, WhoArrivesBeforeACertainSwitchIsJudgedByItsEnd) {
  Scheduler scheduler = one_service(100, 16);
  ASSERT_EQ(scheduler.decide(0).act, Act::train);  // until 40
  scheduler.announce(60 * ms);
  const Admission early = scheduler.arrive(0, 1, 1, 0);
  EXPECT_EQ(early.refused, RefusalReason::overload);
  EXPECT_EQ(early.retry_after_ns, 10 * ms);
  EXPECT_EQ(scheduler.arrive(0, 2, 1, 15 * ms).refused, RefusalReason::none);
}

TEST(Scheduler, ASwitchLongerThanABudgetCannotWait) {
  const Scheduler scheduler = one_service(100, 16);
  EXPECT_TRUE(switch_cannot_wait(scheduler, 0, 0, 100 * ms));
  EXPECT_FALSE(switch_cannot_wait(scheduler, 0, 0, 99 * ms));
  EXPECT_TRUE(switch_waits(scheduler, 0, 0, 95 * ms)) << "an answer takes 10 more";
  EXPECT_FALSE(switch_waits(scheduler, 0, 0, 85 * ms)) << "it fits";
  EXPECT_TRUE(switch_cannot_wait(scheduler, 30'000 * ms, 0, 99 * ms)) << "patience ends";
}

TEST(Scheduler, ARequestLargerThanTheLargestBatchIsJudgedByItsOwnTime) {
  Scheduler scheduler = one_service(25, 4);
  const Admission large = scheduler.arrive(0, 1, 20, 0);  // 29 ms
  EXPECT_EQ(large.refused, RefusalReason::overload);
  EXPECT_EQ(large.retry_after_ns, 4 * ms);
  EXPECT_EQ(scheduler.arrive(0, 2, 16, 0).refused, RefusalReason::none);
}

TEST(Scheduler, RequestsOfSeveralSamplesAreJudgedByTheBatchesThatTheyWillBe) {
  Scheduler scheduler = one_service(50, 8);
  for (uint64_t id = 1; id <= 3; ++id)  // no two share a batch: 14 ms each
    EXPECT_EQ(scheduler.arrive(0, id, 5, 0).refused, RefusalReason::none);
  const Admission fourth = scheduler.arrive(0, 4, 5, 0);
  EXPECT_EQ(fourth.refused, RefusalReason::overload);
  EXPECT_EQ(fourth.retry_after_ns, 6 * ms);
  EXPECT_EQ(scheduler.arrive(0, 5, 3, 0).refused, RefusalReason::none) << "beside the third";
}

TEST(Scheduler, RequestsOfDifferentShapesAreServedInBatchesOfTheirOwn) {
  Scheduler scheduler = untrained(1000, 8);
  for (uint64_t id = 0; id < 9; ++id) scheduler.arrive(0, id, 1, 0, id % 3);
  for (uint64_t shape = 0; shape < 3; ++shape) {
    EXPECT_EQ(scheduler.decide(0).samples, 3);
    for (const Waiting& request : scheduler.batch()) EXPECT_EQ(request.id % 3, shape);
    scheduler.ended(0);
  }
  EXPECT_EQ(scheduler.waiting(0), 0u);
}

TEST(Scheduler, DifferentShapesAreJudgedByTheBatchesThatTheyWillBe) {
  Scheduler scheduler = one_service(35, 8);
  for (uint64_t shape = 1; shape <= 3; ++shape)  // 10 ms each
    EXPECT_EQ(scheduler.arrive(0, shape, 1, 0, shape).refused, RefusalReason::none);
  EXPECT_EQ(scheduler.arrive(0, 4, 1, 0, 4).retry_after_ns, 5 * ms);
  EXPECT_EQ(scheduler.arrive(0, 5, 1, 0, 3).refused, RefusalReason::none) << "beside the third";
  Scheduler two = one_service(35, 8);
  for (uint64_t shape = 1; shape <= 2; ++shape) two.arrive(0, shape, 1, 0, shape);
  EXPECT_TRUE(two.fits(0, 5 * ms)) << "20 ms, and 10 for one more of whatever shape";
  EXPECT_FALSE(two.fits(0, 6 * ms));
}

TEST(Scheduler, ADrainAnswersWhatWasTakenAndTakesNoMore) {
  Scheduler scheduler = one_service(500, 4);
  for (uint64_t id = 0; id < 6; ++id) scheduler.arrive(0, id, 1, 0);
  scheduler.drain();
  EXPECT_EQ(scheduler.arrive(0, 9, 1, 0).refused, RefusalReason::draining);
  size_t answered = 0;
  for (int64_t now = 0;; now += 20 * ms) {
    const Decision decision = scheduler.decide(now);
    if (decision.act == Act::stop) break;
    ASSERT_EQ(decision.act, Act::infer);
    answered += scheduler.batch().size();
    scheduler.ended(now + 10 * ms);
  }
  EXPECT_EQ(answered, 6u);
}

TEST(Scheduler, TheEarlierDeadlineOfTwoServicesGoesFirst) {
  Scheduler scheduler({{"slow", 500 * ms, 8}, {"fast", 100 * ms, 8}}, {});
  scheduler.inference_time(0) = scheduler.inference_time(1) = batch_curve(10, 1, 8);
  scheduler.arrive(0, 1, 1, 0);
  scheduler.arrive(1, 2, 1, 20 * ms);
  EXPECT_EQ(scheduler.decide(20 * ms).who, 1u);
  scheduler.ended(30 * ms);
  EXPECT_EQ(scheduler.decide(30 * ms).who, 0u);
}

TEST(Scheduler, TwoTrainingsShareTheTimeAsAsked) {
  Scheduler scheduler({{"net", 1000 * ms, 8}}, {{"much", 3}, {"little", 1}});
  scheduler.inference_time(0) = batch_curve(10, 1, 8);
  scheduler.training_time(0) = minibatch_of(40);
  scheduler.training_time(1) = minibatch_of(70);
  std::map<size_t, int64_t> used;
  for (int64_t now = 0; now < 100'000 * ms;) {
    const Decision decision = scheduler.decide(now);
    ASSERT_EQ(decision.act, Act::train);
    const int64_t took = decision.who == 0 ? 40 * ms : 70 * ms;
    used[decision.who] += took;
    scheduler.ended(now += took);
  }
  EXPECT_NEAR(static_cast<double>(used[0]) / static_cast<double>(used[1]), 3, 0.02);
}

TEST(Scheduler, ATrainingThatDoesNotFitGivesWayToOneThatDoes) {
  Scheduler scheduler({{"net", 100 * ms, 8}}, {{"long", 10}, {"short", 1}}, {},
                      {.kind = Preference::Kind::training});
  scheduler.inference_time(0) = batch_curve(10, 1, 8);
  scheduler.training_time(0) = minibatch_of(80);
  scheduler.training_time(1) = minibatch_of(20);
  scheduler.arrive(0, 1, 1, 0);
  const Decision decision = scheduler.decide(30 * ms);
  EXPECT_EQ(decision.act, Act::train);
  EXPECT_EQ(decision.who, 1u);
}

TEST(Scheduler, OneWorkloadAtATime) {
  Scheduler scheduler = one_service(100, 4);
  EXPECT_THROW(scheduler.ended(0), std::logic_error);
  scheduler.decide(0);
  EXPECT_THROW(scheduler.decide(1), std::logic_error);
}

}  // namespace
}  // namespace flyball
