#include "schedule/scheduler.h"

#include <gmock/gmock.h>

#include <map>

#include "base/random.h"
#include "schedule/schedule_testing.h"

namespace flyball {
namespace {

Scheduler one_service(int64_t latency_ms, int64_t batch, Overload overload = Overload::refuse,
                      size_t bound = 4096) {
  Scheduler scheduler({{"net", latency_ms * ms, batch, bound, overload}}, {{"learn"}});
  scheduler.inference_time(0) = batch_curve(10, 1, 64);
  scheduler.training_time(0) = minibatch_of(40);
  return scheduler;
}

TEST(Scheduler, TrainsWhileNobodyAsks) {
  Scheduler scheduler = one_service(100, 16);
  EXPECT_EQ(scheduler.decide(0).act, Act::train);
}

TEST(Scheduler, WithoutTrainingABatchStartsAtOnce) {
  Scheduler scheduler = one_service(1000, 16);
  scheduler.allow_training(false);
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

TEST(Scheduler, ABudgetTooShortForATrainingMinibatchIsNamed) {
  Scheduler scheduler = one_service(49, 16);
  EXPECT_EQ(scheduler.too_short_for(0), 0);
  EXPECT_EQ(scheduler.decide(0).act, Act::wait);
  EXPECT_EQ(one_service(50, 16).too_short_for(0), -1);
}

TEST(Scheduler, TheLargestBatchBounds) {
  Scheduler scheduler = one_service(1000, 4);
  scheduler.allow_training(false);
  for (uint64_t id = 0; id < 10; ++id) scheduler.arrive(0, id, 1, 0);
  EXPECT_EQ(scheduler.decide(0).samples, 4);
  EXPECT_EQ(scheduler.batch().front().id, 0u);
  EXPECT_EQ(scheduler.waiting(0), 6u);
}

TEST(Scheduler, RequestsOfSeveralSamplesStayWhole) {
  Scheduler scheduler = one_service(1000, 8);
  scheduler.allow_training(false);
  scheduler.arrive(0, 1, 5, 0);
  scheduler.arrive(0, 2, 5, 0);
  const Decision decision = scheduler.decide(0);
  EXPECT_EQ(decision.samples, 5);
  EXPECT_EQ(scheduler.batch().size(), 1u);
}

TEST(Scheduler, ASmallerBatchIsTakenWhereTheLargerOneWouldBeLate) {
  Scheduler scheduler = one_service(100, 16, Overload::late);
  scheduler.allow_training(false);
  scheduler.arrive(0, 1, 1, 0);
  for (uint64_t id = 2; id < 7; ++id) scheduler.arrive(0, id, 1, 60 * ms);
  // 88 ms: one request fits before 100 (10 ms), six (15 ms) do not; the others have until 160.
  EXPECT_EQ(scheduler.decide(88 * ms).samples, 3);
}

TEST(Scheduler, OverloadRefusesWithATimeToRetry) {
  Scheduler scheduler = one_service(30, 1);
  scheduler.allow_training(false);
  EXPECT_EQ(scheduler.arrive(0, 1, 1, 0).refused, RefusalReason::none);
  EXPECT_EQ(scheduler.arrive(0, 2, 1, 0).refused, RefusalReason::none);
  EXPECT_EQ(scheduler.arrive(0, 3, 1, 0).refused, RefusalReason::none);
  const Admission fourth = scheduler.arrive(0, 4, 1, 0);
  EXPECT_EQ(fourth.refused, RefusalReason::overload);
  EXPECT_EQ(fourth.retry_after_ns, 10 * ms);
  EXPECT_EQ(scheduler.arrive(0, 5, 1, 10 * ms).refused, RefusalReason::overload);
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
  Scheduler scheduler({{"net", 100 * ms, 8}}, {{"long", 10}, {"short", 1}});
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

// ---- Rules that hold whatever comes -------------------------------------------------------------

/// A load at random: services, trainings, durations, deadlines, arrivals.
struct RandomLoad {
  explicit RandomLoad(uint64_t seed) : random(seed) {
    const size_t services = 1 + random.below(2), trainings = random.below(3);
    for (size_t s = 0; s < services; ++s) {
      rules.push_back({"s", static_cast<int64_t>(random.uniform(20, 800) * 1e6),
                       1 + static_cast<int64_t>(random.below(32)), 1 + random.below(300),
                       random.uniform() < 0.5 ? Overload::refuse : Overload::late});
      curves.push_back(batch_curve(random.uniform(1, 30), random.uniform(0, 3), 32));
      gap_ms.push_back(random.uniform(1, 60));
      next_ns.push_back(0);
    }
    for (size_t t = 0; t < trainings; ++t) {
      shares.push_back({"t", random.uniform(0.5, 4)});
      train_ms.push_back(random.uniform(5, 150));
    }
    jitter = random.uniform() < 0.3 ? 0 : random.uniform(0, 0.3);
  }

  Scheduler scheduler() {
    Scheduler made(rules, shares);
    for (size_t s = 0; s < rules.size(); ++s) made.inference_time(s) = curves[s];
    for (size_t t = 0; t < shares.size(); ++t) made.training_time(t) = minibatch_of(train_ms[t]);
    return made;
  }

  Random random;
  std::vector<ServiceRules> rules;
  std::vector<TrainingRules> shares;
  std::vector<DurationModel> curves;
  std::vector<double> gap_ms, train_ms;
  std::vector<int64_t> next_ns;
  double jitter = 0;
};

/// Everything that waits, kept beside the scheduler so that nothing is taken from its own word.
struct Mirror {
  struct Entry {
    int64_t deadline_ns;
    int64_t samples;
  };
  std::vector<std::deque<Entry>> queues;

  // Batches one after the other by deadline, each at its upper quantile: the plainest schedule.
  bool all_in_time(const RandomLoad& load, Scheduler& scheduler, double free_ns) const {
    auto left = queues;
    while (true) {
      size_t first = left.size();
      for (size_t s = 0; s < left.size(); ++s)
        if (!left[s].empty() &&
            (first == left.size() || left[s].front().deadline_ns < left[first].front().deadline_ns))
          first = s;
      if (first == left.size()) return true;
      const auto deadline = static_cast<double>(left[first].front().deadline_ns);
      int64_t samples = 0;
      while (!left[first].empty() && samples < load.rules[first].largest_batch) {
        ++samples;
        left[first].pop_front();
      }
      free_ns += scheduler.inference_time(first).upper_ns(samples);
      if (free_ns > deadline + 2000) return false;
    }
  }
};

class RandomLoads : public testing::TestWithParam<uint64_t> {};

TEST_P(RandomLoads, KeepTheRules) {
  RandomLoad load(GetParam());
  Scheduler scheduler = load.scheduler();
  Mirror mirror{std::vector<std::deque<Mirror::Entry>>(load.rules.size())};
  uint64_t id = 0;
  size_t taken = 0, answered = 0, trained = 0;
  int64_t now = 0;
  const int64_t end = 20'000 * ms;
  const auto let_arrive = [&](int64_t until) {
    while (true) {
      const auto first = std::ranges::min_element(load.next_ns);
      if (*first > until || *first >= end) return;
      const auto s = static_cast<size_t>(first - load.next_ns.begin());
      const int64_t at = *first;
      *first += 1 + static_cast<int64_t>(load.random.exponential() * load.gap_ms[s] * 1e6);
      const Admission admission = scheduler.arrive(s, ++id, 1, at);
      if (admission.refused == RefusalReason::none) {
        mirror.queues[s].push_back({at + load.rules[s].latency_ns, 1});
        ++taken;
      } else {
        EXPECT_GT(admission.retry_after_ns, 0);
      }
      ASSERT_LE(mirror.queues[s].size(), load.rules[s].queue_bound);
    }
  };
  while (true) {
    let_arrive(now);
    if (now >= end) scheduler.drain();
    bool waiting = false;
    for (const auto& queue : mirror.queues) waiting = waiting || !queue.empty();
    const Decision decision = scheduler.decide(now);
    double truth_ms = 0;
    if (decision.act == Act::stop) {
      ASSERT_GE(now, end);
      ASSERT_FALSE(waiting);
      break;
    }
    if (decision.act == Act::wait) {
      // Work-conserving: it waits only where nobody waits and no training fits.
      ASSERT_FALSE(waiting);
      for (size_t t = 0; t < scheduler.trainings(); ++t)
        ASSERT_FALSE(scheduler.fits(now, scheduler.training_time(t).upper_ns(1)));
      now = std::min(end, *std::ranges::min_element(load.next_ns));
      continue;
    }
    if (decision.act == Act::train) {
      ASSERT_FALSE(scheduler.draining());
      const double free_ns =
          static_cast<double>(now) + scheduler.training_time(decision.who).upper_ns(1);
      ASSERT_TRUE(mirror.all_in_time(load, scheduler, free_ns)) << "a deadline would be broken";
      truth_ms = load.train_ms[decision.who];
      ++trained;
    } else {
      ASSERT_LE(decision.samples, load.rules[decision.who].largest_batch);
      ASSERT_GT(decision.samples, 0);
      for (const Waiting& request : scheduler.batch()) {
        auto& queue = mirror.queues[decision.who];
        ASSERT_EQ(request.deadline_ns, queue.front().deadline_ns);  // first come, first served
        queue.pop_front();
        ++answered;
      }
      truth_ms = load.curves[decision.who].typical_ns(decision.samples) * 1e-6;
    }
    truth_ms *= std::exp(load.jitter * load.random.normal());
    const int64_t ends = now + 1 + static_cast<int64_t>(truth_ms * 1e6);
    let_arrive(ends - 1);
    scheduler.ended(ends);
    now = ends;
  }
  EXPECT_EQ(answered, taken) << "a drain answers what was accepted";
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLoads, testing::Range<uint64_t>(1, 301));

}  // namespace
}  // namespace flyball
