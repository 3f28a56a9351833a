// The scheduler's rules as properties on a simulated clock: loads at random, whatever comes.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <map>

#include "base/random.h"
#include "schedule/schedule_testing.h"

namespace flyball {
namespace {

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
    }
    for (size_t t = 0; t < trainings; ++t) {
      shares.push_back({"t", random.uniform(0.5, 4)});
      train_ms.push_back(random.uniform(5, 150));
    }
    jitter = random.uniform() < 0.3 ? 0 : random.uniform(0, 0.3);
  }

  Scheduler scheduler() const {
    Scheduler made(rules, shares, {}, preference);
    for (size_t s = 0; s < rules.size(); ++s) made.inference_time(s) = curves[s];
    for (size_t t = 0; t < shares.size(); ++t) made.training_time(t) = minibatch_of(train_ms[t]);
    return made;
  }

  Random random;
  std::vector<ServiceRules> rules;
  std::vector<TrainingRules> shares;
  std::vector<DurationModel> curves;  ///< of services: true, but for drift and jitter
  std::vector<double> gap_ms, train_ms;
  double jitter = 0;  ///< of every minibatch
  Preference preference{};
  std::function<double(double)> drift = [](double) { return 1; };  ///< of durations, by seconds
};

/// Requests that wait, kept beside the scheduler so that nothing is taken from its own word: their
/// deadlines, by service.
using Queues = std::vector<std::deque<int64_t>>;

// Batches one after the other by deadline, each at its upper quantile: the plainest schedule.
bool all_in_time(Queues left, const RandomLoad& load, Scheduler& scheduler, double free_ns) {
  while (true) {
    size_t first = left.size();
    for (size_t s = 0; s < left.size(); ++s)
      if (!left[s].empty() && (first == left.size() || left[s].front() < left[first].front()))
        first = s;
    if (first == left.size()) return true;
    const auto deadline = static_cast<double>(left[first].front());
    int64_t samples = 0;
    for (; !left[first].empty() && samples < load.rules[first].largest_batch; ++samples)
      left[first].pop_front();
    free_ns += scheduler.inference_time(first).upper_ns(samples);
    if (free_ns > deadline + 2000) return false;
  }
}

/// What a course of 20 s and more came to.
struct Tally {
  size_t arrived = 0, taken = 0, refused = 0, answered = 0, late = 0;
  size_t trained = 0, longer_than_predicted = 0;
  std::map<size_t, double> training_s;
};

/// Runs a load on a simulated clock and holds every decision against the rules.
class CheckedRun {
 public:
  CheckedRun(RandomLoad load, int64_t seconds)
      : load_(std::move(load)),
        scheduler_(load_.scheduler()),
        queues_(load_.rules.size()),
        next_ns_(load_.rules.size(), 0),
        end_ns_(seconds * 1000 * ms) {}

  Tally run() {
    while (!testing::Test::HasFatalFailure()) {
      let_arrive(now_);
      if (now_ >= end_ns_) scheduler_.drain();
      const bool a_training_fits = fitting();
      const Decision decision = scheduler_.decide(now_);
      if (decision.act == Act::stop) {
        check_end();
        return tally_;
      }
      if (decision.act == Act::wait) {
        check_waiting(a_training_fits);
        now_ = std::min(end_ns_, *std::ranges::min_element(next_ns_));
        continue;
      }
      const double ms_taken =
          decision.act == Act::train ? train(decision.who) : infer(decision, a_training_fits);
      const double spread = std::exp(load_.jitter * load_.random.normal());
      const double drifted = load_.drift(static_cast<double>(now_) * 1e-9);
      end_minibatch(decision, ms_taken * spread * drifted);
    }
    return tally_;
  }

 private:
  void let_arrive(int64_t until_ns) {
    while (true) {
      const auto first = std::ranges::min_element(next_ns_);
      if (*first > until_ns || *first >= end_ns_) return;
      const auto s = static_cast<size_t>(first - next_ns_.begin());
      const int64_t at_ns = *first;
      *first += 1 + static_cast<int64_t>(load_.random.exponential() * load_.gap_ms[s] * 1e6);
      const Admission admission = scheduler_.arrive(s, ++tally_.arrived, 1, at_ns);
      if (admission.refused == RefusalReason::none) {
        queues_[s].push_back(at_ns + load_.rules[s].latency_ns);
        ++tally_.taken;
      } else {
        EXPECT_GT(admission.retry_after_ns, 0);
        EXPECT_TRUE(load_.rules[s].queue.overload == Overload::refuse ||
                    admission.refused == RefusalReason::queue_full);
        ++tally_.refused;
      }
      ASSERT_LE(queues_[s].size(), load_.rules[s].queue.bound);
    }
  }

  bool fitting() {
    for (size_t t = 0; t < scheduler_.trainings(); ++t)
      if (scheduler_.fits(now_, scheduler_.training_time(t).upper_ns(1)))
        return !scheduler_.draining();
    return false;
  }
  bool gathered() const {
    for (size_t s = 0; s < queues_.size(); ++s)
      if (!queues_[s].empty() && static_cast<int64_t>(queues_[s].size()) >= scheduler_.gathers(s))
        return true;
    return false;
  }
  bool anybody_waits() const {
    return !std::ranges::all_of(queues_, [](const auto& queue) { return queue.empty(); });
  }

  // Work-conserving: it waits only where nobody waits and no training may start.
  void check_waiting(bool a_training_fits) const {
    ASSERT_FALSE(anybody_waits());
    ASSERT_FALSE(a_training_fits);
    ASSERT_LT(now_, end_ns_);
  }

  // By the predicted quantile no deadline breaks: neither of those that wait, nor of a request that
  // comes at each service in this very moment.
  double train(size_t who) {
    const double upper_ns = scheduler_.training_time(who).upper_ns(1);
    Queues with_newcomers = queues_;
    for (size_t s = 0; s < queues_.size(); ++s)
      with_newcomers[s].push_back(now_ + load_.rules[s].latency_ns);
    EXPECT_FALSE(scheduler_.draining());
    EXPECT_TRUE(
        all_in_time(with_newcomers, load_, scheduler_, static_cast<double>(now_) + upper_ns))
        << "a deadline would be broken";
    EXPECT_FALSE(gathered()) << "a batch that has gathered goes first";
    predicted_ns_ = upper_ns;
    ++tally_.trained;
    return load_.train_ms[who];
  }

  // A batch starts where no training may any more: at the latest safe time, or once as many wait as
  // batches wait for.
  double infer(const Decision& decision, bool a_training_fits) {
    EXPECT_FALSE(a_training_fits && !gathered());
    EXPECT_LE(decision.samples, load_.rules[decision.who].largest_batch);
    EXPECT_GT(decision.samples, 0);
    for (const auto& queue : queues_)
      EXPECT_TRUE(queue.empty() || queues_[decision.who].front() <= queue.front())
          << "the earliest deadline goes first";
    return load_.curves[decision.who].typical_ns(decision.samples) * 1e-6;
  }

  void end_minibatch(const Decision& decision, double took_ms) {
    const int64_t ends_ns = now_ + 1 + static_cast<int64_t>(took_ms * 1e6);
    if (decision.act == Act::train) {
      tally_.training_s[decision.who] += took_ms * 1e-3;
      if (static_cast<double>(ends_ns - now_) > predicted_ns_ + 2) ++tally_.longer_than_predicted;
    } else {
      for (const Waiting& request : scheduler_.batch()) {
        auto& queue = queues_[decision.who];
        ASSERT_EQ(request.deadline_ns, queue.front()) << "first come, first served";
        queue.pop_front();
        ++tally_.answered;
        if (ends_ns > request.deadline_ns + 1000) ++tally_.late;
      }
    }
    let_arrive(ends_ns - 1);
    scheduler_.ended(ends_ns);
    now_ = ends_ns;
  }

  // A drain answers what was taken.
  void check_end() const {
    ASSERT_GE(now_, end_ns_);
    ASSERT_FALSE(anybody_waits());
    EXPECT_EQ(tally_.answered, tally_.taken);
    EXPECT_EQ(tally_.arrived, tally_.taken + tally_.refused);
  }

  RandomLoad load_;
  Scheduler scheduler_;
  Queues queues_;
  std::vector<int64_t> next_ns_;
  int64_t now_ = 0, end_ns_;
  double predicted_ns_ = 0;
  Tally tally_;
};

class RandomLoads : public testing::TestWithParam<uint64_t> {};

TEST_P(RandomLoads, KeepTheRules) {
  for (const Preference::Kind kind : {Preference::Kind::latency, Preference::Kind::training}) {
    RandomLoad load(GetParam());
    load.preference.kind = kind;
    CheckedRun(std::move(load), 20).run();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLoads, testing::Range<uint64_t>(1, 301));

/// One service that takes a third of the time at most and two trainings that always fit.
RandomLoad light_load(uint64_t seed) {
  RandomLoad load(seed);
  Random& random = load.random;
  load.rules = {{"s", 2000 * ms, 16, 4096, Overload::refuse}};
  load.curves = {batch_curve(random.uniform(2, 10), random.uniform(0.1, 0.5), 16)};
  load.gap_ms = {random.uniform(10, 40)};
  load.shares = {{"much", random.uniform(1, 5)}, {"little", 1}};
  load.train_ms = {random.uniform(5, 90), random.uniform(5, 90)};
  load.jitter = random.uniform(0, 0.2);
  return load;
}

class LightLoads : public testing::TestWithParam<uint64_t> {};

TEST_P(LightLoads, GiveTrainingsTheirShares) {
  const RandomLoad load = light_load(GetParam());
  const Tally tally = CheckedRun(load, 200).run();
  EXPECT_NEAR(tally.training_s.at(0) / tally.training_s.at(1), load.shares[0].share,
              0.02 * load.shares[0].share);
  EXPECT_LE(static_cast<double>(tally.late + tally.refused),
            0.001 * static_cast<double>(tally.arrived));
}

// Durations grow by half at once, creep up, swing: what was predicted follows.
TEST_P(LightLoads, FollowADrift) {
  const std::vector<std::function<double(double)>> drifts = {
      [](double s) { return s < 100 ? 1 : 1.5; },
      [](double s) { return 1 + s / 200; },
      [](double s) { return 1.25 + 0.25 * std::sin(s / 20); },
  };
  for (size_t i = 0; i < drifts.size(); ++i) {
    RandomLoad load = light_load(GetParam());
    load.shares.pop_back();
    load.train_ms.pop_back();
    load.rules.front().latency_ns = 400 * ms;
    load.drift = drifts[i];
    const Tally tally = CheckedRun(std::move(load), 200).run();
    EXPECT_GT(tally.trained, 500u);
    EXPECT_LE(static_cast<double>(tally.longer_than_predicted),
              0.03 * static_cast<double>(tally.trained))
        << "drift " << i;
    EXPECT_LE(static_cast<double>(tally.late + tally.refused),
              0.01 * static_cast<double>(tally.arrived))
        << "drift " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LightLoads, testing::Range<uint64_t>(1, 21));

/// More requests than can be answered, beside a training.
RandomLoad overload(uint64_t seed, Overload policy) {
  RandomLoad load(seed);
  Random& random = load.random;
  const int64_t batch = 1 + static_cast<int64_t>(random.below(16));
  const double one_ms = random.uniform(5, 20), more_ms = random.uniform(0.5, 4);
  const double batch_ms = one_ms + more_ms * static_cast<double>(batch - 1);
  load.rules = {{"s", static_cast<int64_t>(random.uniform(3, 8) * batch_ms * 1e6), batch,
                 1 + random.below(200), policy}};
  load.curves = {batch_curve(one_ms, more_ms, batch)};
  load.gap_ms = {batch_ms / static_cast<double>(batch) / random.uniform(1.5, 5)};
  load.shares = {{"t"}};
  load.train_ms = {random.uniform(5, 50)};
  load.jitter = random.uniform(0, 0.1);
  return load;
}

class Overloads : public testing::TestWithParam<uint64_t> {};

TEST_P(Overloads, RefuseRatherThanAnswerLateAndStopTraining) {
  const RandomLoad load = overload(GetParam(), Overload::refuse);
  const Tally tally = CheckedRun(load, 60).run();
  EXPECT_GT(static_cast<double>(tally.refused), 0.2 * static_cast<double>(tally.arrived));
  EXPECT_LE(static_cast<double>(tally.late), 0.02 * static_cast<double>(tally.answered));
  EXPECT_LT(tally.training_s.contains(0) ? tally.training_s.at(0) : 0, 0.05 * 60);
}

TEST_P(Overloads, ServeLateWhereAskedAndStopTraining) {
  const Tally tally = CheckedRun(overload(GetParam(), Overload::late), 60).run();
  EXPECT_GT(tally.refused, 0u) << "the queue is bounded";
  EXPECT_LT(tally.training_s.contains(0) ? tally.training_s.at(0) : 0, 0.05 * 60);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Overloads, testing::Range<uint64_t>(1, 41));

}  // namespace
}  // namespace flyball
