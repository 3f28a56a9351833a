#include "load/open_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <vector>

#include "load/counted_load.h"
#include "load/load_summary.h"
#include "load/quantile_interval.h"

namespace flyball {
namespace {

constexpr int64_t ms = 1'000'000;

// One server that takes requests in their order; each takes so long, and none begins in the stall.
struct OneServer {
  int64_t service_ns = 0;
  int64_t stall_from = std::numeric_limits<int64_t>::max(), stall_to = 0;
  int64_t free_ns = 0;

  int64_t answer_at(int64_t sent_ns) {
    int64_t begin = std::max(sent_ns, free_ns);
    if (begin >= stall_from && begin < stall_to) begin = stall_to;
    return free_ns = begin + service_ns;
  }
};

std::vector<LoadRecord> simulate(OpenLoop& loop, OneServer server) {
  std::map<int64_t, std::vector<size_t>> answers;
  while (!loop.finished()) {
    int64_t now = std::numeric_limits<int64_t>::max();
    if (const auto next = loop.next_event()) now = *next;
    if (!answers.empty()) now = std::min(now, answers.begin()->first);
    while (!answers.empty() && answers.begin()->first <= now) {
      for (const size_t request : answers.begin()->second) loop.done(request, now, {});
      answers.erase(answers.begin());
    }
    loop.expire(now);
    while (const auto request = loop.take(now)) answers[server.answer_at(now)].push_back(*request);
  }
  return loop.records();
}

OpenLoop loop_of(const std::string& arrivals, double seconds, size_t connections,
                 int64_t patience_ns = int64_t{1} << 60) {
  return {make_arrivals(*parse_arrivals(arrivals), 7),
          {static_cast<int64_t>(seconds * 1e9), connections, patience_ns}};
}

std::vector<double> waits_ms(const std::vector<LoadRecord>& records, int64_t service_ns) {
  std::vector<double> waits;
  for (const LoadRecord& record : records)
    waits.push_back(static_cast<double>(record.done_ns - record.due_ns - service_ns) * 1e-6);
  return waits;
}

// M/D/1: the mean wait is ρD/(2(1−ρ)) (Pollaczek and Khinchine).
TEST(OpenLoop, WaitsAsAQueueWithOneServerDoes) {
  for (const double load : {0.3, 0.5, 0.8}) {
    OpenLoop loop = loop_of("poisson:100", 1000, 100'000);
    const auto service_ns = static_cast<int64_t>(load * 10 * ms);
    const auto records = simulate(loop, {service_ns});
    const double expected_ms = load * load * 10 / (2 * (1 - load));
    const QuantileInterval mean = mean_interval(waits_ms(records, service_ns));
    // 100,000 requests: three times the half interval is a chance of one in a million.
    const double half = mean.high - mean.value;
    EXPECT_NEAR(mean.value, expected_ms, 3 * half) << load;
    EXPECT_LT(half, 0.1 * expected_ms) << load;
  }
}

// A second in which the server does nothing: with one request at a time a client that waits for its
// answers would send one slow request, and ours counts all that were due meanwhile.
TEST(OpenLoop, CountsWhatWasDueInAStall) {
  for (const size_t connections : {size_t{1}, size_t{1000}}) {
    OpenLoop loop = loop_of("constant:100", 10, connections);
    const auto records = simulate(loop, {1 * ms, 5000 * ms + 1, 6000 * ms});
    ASSERT_EQ(records.size(), 999u);
    const auto slow = std::ranges::count_if(records, [](const LoadRecord& record) {
      return record.done_ns - record.due_ns > 100 * ms;
    });
    // Due every 10 ms from the stall on, and served at 1 ms each behind it.
    EXPECT_NEAR(static_cast<double>(slow), 100, 5) << connections;
  }
}

TEST(OpenLoop, SaysWhatWaitedForAConnection) {
  OpenLoop loop = loop_of("constant:100", 1, 1);
  const auto records = simulate(loop, {15 * ms});
  LoadRun run;
  run.records = records;
  run.until_ns = 1'000'000'000;
  const LoadSummary summary = summarise(run, 100.0, 1);
  EXPECT_GT(summary.waited, 90u);
  EXPECT_EQ(summary.sent_late_ms.max, 0);  // the server's slowness is no lateness of the client
  ASSERT_FALSE(summary.warnings.empty());
  EXPECT_NE(summary.warnings.front().find("--connections"), std::string::npos);
  EXPECT_GT(summary.late, 70u);
}

// A request that hangs is waited for long after the last answer: the rate is not that of the wait.
TEST(OpenLoop, TheWindowEndsWithTheLastAnswer) {
  LoadRun run;
  for (int64_t i = 0; i < 10; ++i) {
    LoadRecord record{.due_ns = i * 100 * ms, .outcome = LoadOutcome::answered};
    record.done_ns = record.due_ns + 5 * ms;
    run.records.push_back(record);
  }
  run.records[4].outcome = LoadOutcome::timed_out;
  run.records[4].done_ns = 60'400 * ms;
  run.until_ns = 1000 * ms;
  run.power.emplace().mean_w = 2;
  const LoadSummary summary = summarise(run, {}, 4);
  EXPECT_DOUBLE_EQ(summary.window_s, 1);
  EXPECT_DOUBLE_EQ(summary.requests_per_s, 9);
  EXPECT_DOUBLE_EQ(summary.energy_j.value(), 2);
}

/// A meter of what is drawn in a time that a test tells.
class ToldMeter final : public PowerMeter {
 public:
  void draw(double watts, double seconds) {
    energy_j_ += watts * seconds;
    window_s_ += seconds;
  }
  std::string total() const override { return "module"; }
  std::string gap() const override { return ""; }
  Status begin() override { return {}; }
  bool settled() override { return true; }
  void count() override { energy_j_ = window_s_ = 0; }
  int updates() override { return power_updates_wanted; }
  Result<PowerReading> lap() override {
    PowerReading reading;
    reading.mean_w = energy_j_ / window_s_;
    reading.window_s = window_s_;
    reading.noise = window_s_ < 1 ? std::numeric_limits<double>::infinity() : 0.01;
    count();
    return reading;
  }
  Result<PowerReading> end() override { return lap(); }

 private:
  double energy_j_ = 0, window_s_ = 0;
};

TEST(CountedLoad, WhatIsDrawnAfterTheLastAnswerIsNoEnergyOfRequests) {
  ToldMeter meter;
  CountedLoad counted(&meter);
  meter.draw(30, 1);  // to warm up
  counted.begin(1000 * ms);
  meter.draw(10, 2);
  counted.reach(3000 * ms);  // the load ends
  meter.draw(8, 1);
  counted.reach(4000 * ms);  // the last answer
  meter.draw(1, 59);         // a request hangs
  counted.end(63'000 * ms);
  ASSERT_TRUE(counted.power());
  EXPECT_DOUBLE_EQ(counted.power()->window_s, 3);
  EXPECT_DOUBLE_EQ(counted.power()->mean_w, 28.0 / 3);
}

TEST(CountedLoad, ALapTooShortForANoiseOfItsOwnLeavesThatOfTheRest) {
  ToldMeter meter;
  CountedLoad counted(&meter);
  counted.begin(0);
  meter.draw(10, 2);
  counted.reach(2000 * ms);
  meter.draw(10, 0.25);
  counted.reach(2250 * ms);
  counted.end(2300 * ms);
  ASSERT_TRUE(counted.power());
  EXPECT_NEAR(counted.power()->noise, 0.01 * 2 / 2.25, 1e-9);
}

TEST(CountedLoad, WhereAllIsAnsweredBeforeTheLoadEndsAllCounts) {
  ToldMeter meter;
  CountedLoad counted(&meter);
  counted.begin(0);
  meter.draw(10, 2);
  counted.end(2000 * ms);
  ASSERT_TRUE(counted.power());
  EXPECT_DOUBLE_EQ(counted.power()->mean_w, 10);
}

TEST(OpenLoop, GivesUpWhatWaitsTooLong) {
  OpenLoop loop = loop_of("constant:100", 1, 1, 50 * ms);
  const auto records = simulate(loop, {200 * ms});
  const auto unsent = std::ranges::count(records, LoadOutcome::unsent, &LoadRecord::outcome);
  EXPECT_GT(unsent, 90);
  for (const LoadRecord& record : records) {
    EXPECT_GE(record.done_ns, record.due_ns);
    if (record.outcome != LoadOutcome::unsent) continue;
    EXPECT_EQ(record.sent_ns, -1);
    EXPECT_EQ(record.done_ns - record.due_ns, 50 * ms);
  }
}

TEST(OpenLoop, EndsAtItsLimitAndWhenStopped) {
  OpenLoop limited(make_arrivals(constant_arrivals(100), 1), {1000 * ms, 10, 1000 * ms, 20});
  EXPECT_EQ(simulate(limited, {1 * ms}).size(), 20u);
  EXPECT_TRUE(limited.reached_limit());
  EXPECT_EQ(limited.ends_ns(), 200 * ms);
  LoadRun run;
  run.until_ns = limited.ends_ns();
  run.records = limited.take_records();
  run.power.emplace().mean_w = 2;
  EXPECT_NEAR(summarise(run, {}, 10).requests_per_s, 100, 1);
  EXPECT_NEAR(summarise(run, {}, 10).request_j.value(), 0.02, 0.001);
  OpenLoop stopped = loop_of("constant:100", 1, 1);
  const auto answered = stopped.take(10 * ms);
  ASSERT_TRUE(answered);
  stopped.done(*answered, 20 * ms, LoadAnswer{});
  ASSERT_TRUE(stopped.take(30 * ms));
  EXPECT_EQ(stopped.stop(), 2u);  // one was under way, one waited
  EXPECT_FALSE(stopped.next_due());
  EXPECT_TRUE(stopped.finished());
  EXPECT_EQ(stopped.records().size(), 1u);
}

}  // namespace
}  // namespace flyball
