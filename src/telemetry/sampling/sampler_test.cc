#include "telemetry/sampling/sampler.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <thread>

#include "base/clock_testing.h"
#include "base/statistics.h"
#include "telemetry/sampling/allocations_testing.h"
#include "telemetry/sampling/energy.h"
#include "telemetry/sampling/lateness.h"
#include "telemetry/sensors/simple_sensors.h"

namespace flyball {
namespace {

SensorInfo named(const std::string& name, const std::string& source = "test") {
  return {.name = name, .unit = "W", .kind = SensorKind::power, .source = source};
}

SensorPtr constant(const std::string& name, double value, const std::string& source = "test") {
  return function_sensor(named(name, source), [value](int64_t) { return Result<double>(value); });
}

void sleep_ms(int64_t ms) {
  sleep_until_ns(monotonic_ns() + ms * 1'000'000);
}

TEST(Lateness, QuantilesAreRightWithinASixteenth) {
  LatenessHistogram histogram;
  EXPECT_EQ(histogram.quantile_ns(0.5), 0);
  std::vector<double> all;
  for (int i = 0; i < 5000; ++i) {
    const int64_t ns = (int64_t{i} * i * 37) % 9'000'000;
    histogram.add(ns);
    all.push_back(static_cast<double>(ns));
  }
  for (double q : {0.01, 0.25, 0.5, 0.9, 0.99})
    EXPECT_NEAR(static_cast<double>(histogram.quantile_ns(q)), quantile(all, q),
                0.0626 * quantile(all, q) + 1);
  EXPECT_EQ(histogram.count(), 5000u);
  histogram.add(-5);
  histogram.add(INT64_MAX);
  EXPECT_EQ(histogram.max_ns(), INT64_MAX);
}

TEST(SampleRing, KeepsTheNewest) {
  SampleRing ring(4);
  EXPECT_TRUE(ring.copy().empty());
  for (int i = 0; i < 10; ++i) ring.push(i, i * 1.5);
  const auto samples = ring.copy();
  ASSERT_EQ(samples.size(), 4u);
  EXPECT_EQ(samples.front().time_ns, 6);
  EXPECT_EQ(samples.back().value, 13.5);
}

size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  size_t all = 0, resident = 0;
  statm >> all >> resident;
  return resident * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

// Two hours at 1 kHz for each sensor: a command that ends at once does not pay for them.
TEST(SampleRing, TakesMemoryForWhatItHoldsAlone) {
  constexpr size_t most = size_t{4} << 20;
  const size_t before = resident_bytes();
  SampleRing ring(most);
  ring.push(1, 1);
  EXPECT_LT(resident_bytes(), before + most * sizeof(Sample) / 2);
  EXPECT_EQ(ring.copy().size(), 1u);
}

// A small ring, so that the writer laps the reader often.
TEST(SampleRing, CopiesNothingTornWhileItIsWritten) {
  SampleRing ring(3);
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int64_t i = 0; !done; ++i) ring.push(i, static_cast<double>(i) * 2);
  });
  uint64_t copied = 0;
  for (const int64_t least = monotonic_ns() + 100'000'000;
       monotonic_ns() < least || copied < 10'000 || ring.pushed() < 300'000;) {
    const auto samples = ring.copy();
    copied += samples.size();
    for (size_t i = 0; i < samples.size(); ++i) {
      ASSERT_EQ(samples[i].value, static_cast<double>(samples[i].time_ns) * 2);
      if (i > 0) {
        ASSERT_EQ(samples[i].time_ns, samples[i - 1].time_ns + 1);
      }
    }
    Sample last;
    if (ring.newest(last)) {
      ASSERT_EQ(last.value, static_cast<double>(last.time_ns) * 2);
    }
  }
  done = true;
  writer.join();
}

TEST(SampleRing, CopiesAStretchOfTimeWithALittleMore) {
  SampleRing ring(100);
  const auto times = [&](int64_t begin, int64_t end, size_t more) {
    std::vector<int64_t> all;
    for (const Sample& sample : ring.copy(begin, end, more)) all.push_back(sample.time_ns);
    return all;
  };
  EXPECT_EQ(times(0, 100, 5), std::vector<int64_t>());
  for (int64_t i = 0; i < 1000; ++i) ring.push(10 * i, 1);  // 9000 to 9990 are kept
  EXPECT_EQ(times(9500, 9525, 0), (std::vector<int64_t>{9510, 9520}));
  EXPECT_EQ(times(9500, 9525, 2), (std::vector<int64_t>{9490, 9500, 9510, 9520, 9530, 9540}));
  EXPECT_EQ(times(0, 9001, 3), (std::vector<int64_t>{9000, 9010, 9020, 9030}));
  EXPECT_EQ(times(9980, 20'000, 1), (std::vector<int64_t>{9980, 9990}));
  EXPECT_EQ(times(0, 20'000, 9).size(), 100u);
}

TEST(Sampler, ReadsEachSensorAtItsOwnRate) {
  Sampler sampler;
  const size_t fast = *sampler.add(constant("fast", 1), {0.002});
  const size_t slow = *sampler.add(constant("slow", 2), {0.05});
  const Stopwatch watch;
  ASSERT_TRUE(sampler.start().ok());
  sleep_ms(400);
  sampler.stop();
  const double took_s = watch.seconds();
  const Trace a = sampler.trace(fast), b = sampler.trace(slow);
  // Every deadline was met or is counted as missed; the last sample is taken at the end.
  EXPECT_GE(a.stats.wanted, 140u);
  EXPECT_LE(static_cast<double>(a.stats.wanted), took_s / 0.002 + 2);
  EXPECT_EQ(a.stats.achieved, a.stats.wanted - a.stats.missed + 1);
  EXPECT_GE(b.stats.wanted, 5u);
  EXPECT_LE(static_cast<double>(b.stats.wanted), took_s / 0.05 + 2);
  EXPECT_EQ(a.stats.failed, 0u);
  EXPECT_EQ(a.samples.size(), a.stats.achieved);
  for (size_t i = 1; i < a.samples.size(); ++i)
    EXPECT_GT(a.samples[i].time_ns, a.samples[i - 1].time_ns);
  EXPECT_LE(a.stats.late_p50_us, a.stats.late_p99_us);
  EXPECT_LE(a.stats.late_p99_us, a.stats.late_max_us);
}

// Read once a second, one that goes round in 100 ms would lose most of what it counts.
TEST(Sampler, ACounterThatGoesRoundIsReadInTime) {
  SensorInfo info = named("package-0");
  info.kind = SensorKind::energy_counter;
  info.wrap = 10;
  info.max_rate = 100;
  Sampler sampler;
  const auto index =
      sampler.add(function_sensor(info, [](int64_t) { return Result<double>(1.0); }), Seconds{1});
  ASSERT_TRUE(index.ok());
  EXPECT_NEAR(sampler.period_s(*index), 0.05, 1e-9);
}

TEST(Sampler, DeadlinesDoNotDrift) {
  Sampler sampler;
  const size_t index = *sampler.add(constant("x", 1), {0.005});
  ASSERT_TRUE(sampler.start().ok());
  sleep_ms(1000);
  sampler.stop();
  const Trace trace = sampler.trace(index);
  ASSERT_GT(trace.samples.size(), 50u);
  const auto median_phase = [&](const Sample& reference) {
    std::vector<double> phases;
    for (size_t i = 0; i + 1 < trace.samples.size(); ++i) {
      const double since = static_cast<double>(trace.samples[i].time_ns - reference.time_ns) * 1e-9;
      phases.push_back(since - 0.005 * std::floor(since / 0.005 + 0.2));
    }
    return std::abs(median(phases));
  };
  // Any single one may be late, or punctual where the others are late.
  double smallest = 1;
  for (size_t i = 0; i < 10; ++i) smallest = std::min(smallest, median_phase(trace.samples[i]));
  EXPECT_LT(smallest, 0.001);
}

TEST(Sampler, CountsWhatItMissedAndDoesNotCatchUp) {
  Sampler sampler;
  const size_t index = *sampler.add(function_sensor(named("sleepy"),
                                                    [](int64_t) {
                                                      sleep_ms(25);
                                                      return Result<double>(1.0);
                                                    }),
                                    {0.005});
  const Stopwatch watch;
  ASSERT_TRUE(sampler.start().ok());
  sleep_ms(300);
  sampler.stop();
  const double took_s = watch.seconds();
  const SamplingStats stats = sampler.trace(index).stats;
  EXPECT_GT(stats.missed, 20u);
  EXPECT_LE(static_cast<double>(stats.achieved), took_s / 0.025 + 2);
}

TEST(Sampler, ASlowSourceDoesNotDelayAnother) {
  Sampler sampler;
  (void)*sampler.add(function_sensor(named("sleepy", "slow bus"),
                                     [](int64_t) {
                                       sleep_ms(50);
                                       return Result<double>(1.0);
                                     }),
                     {0.05});
  const size_t quick = *sampler.add(constant("quick", 1, "fast bus"), {0.005});
  ASSERT_TRUE(sampler.start().ok());
  sleep_ms(400);
  sampler.stop();
  const SamplingStats stats = sampler.trace(quick).stats;
  EXPECT_GT(stats.achieved, stats.wanted / 2);
  EXPECT_GT(stats.achieved, 40u);
}

TEST(Sampler, FailedReadsAreCountedAndLeaveAGap) {
  std::atomic<bool> broken{false};
  Sampler sampler;
  const size_t index = *sampler.add(
      function_sensor(
          named("flaky"),
          [&](int64_t) {
            return broken ? Result<double>(Error{Code::io, "gone", ""}) : Result<double>(10.0);
          }),
      {0.005});
  ASSERT_TRUE(sampler.start().ok());
  const int64_t begin = monotonic_ns();
  sleep_ms(100);
  broken = true;
  sleep_ms(150);
  broken = false;
  sleep_ms(100);
  sampler.stop();
  const Trace trace = sampler.trace(index);
  EXPECT_GT(trace.stats.failed, 5u);
  EXPECT_EQ(trace.stats.last_error, "gone");
  const auto window = energy_between(trace, begin, monotonic_ns());
  ASSERT_TRUE(window.ok());
  EXPECT_GE(window->gaps, 1);
  EXPECT_NEAR(window->mean_w, 10, 1e-9);
}

TEST(Sampler, FindsOutThatASensorRepeatsItself) {
  Sampler sampler;
  const size_t index = *sampler.add(
      function_sensor(named("averaging"),
                      [](int64_t now) { return Result<double>(double(now / 50'000'000)); }),
      {0.005});
  const Stopwatch watch;
  ASSERT_TRUE(sampler.start().ok());
  sleep_ms(600);
  sampler.stop();
  const double took_s = watch.seconds();
  const SamplingStats stats = sampler.trace(index).stats;
  EXPECT_TRUE(stats.repeats);
  EXPECT_NEAR(stats.true_period_s, 0.05, 0.01);
  EXPECT_LE(static_cast<double>(stats.distinct), took_s / 0.05 + 3);
}

TEST(Sampler, AllocatesNothingPerSample) {
  Sampler sampler;
  const size_t index = *sampler.add(constant("x", 1), {0.001});
  ASSERT_TRUE(sampler.start().ok());
  sleep_ms(50);
  const uint64_t before = sampler.trace(index).stats.achieved;
  const AllocationCount count;
  sleep_ms(200);
  EXPECT_EQ(count.so_far(), 0);
  EXPECT_GT(sampler.trace(index).stats.achieved, before + 50);
}

TEST(Sampler, RefusesWrongUse) {
  Sampler sampler;
  EXPECT_FALSE(sampler.add(constant("x", 1), {0.0001}).ok());
  EXPECT_FALSE(sampler.add(constant("x", 1), {0}).ok());
  EXPECT_FALSE(sampler.add(constant("x", 1), {std::nan("")}).ok());
  EXPECT_FALSE(sampler.add(constant("x", 1), {1e6}).ok());
  ASSERT_TRUE(sampler.add(constant("x", 1), {0.001}).ok());
  ASSERT_TRUE(sampler.start().ok());
  EXPECT_FALSE(sampler.start().ok());
  EXPECT_FALSE(sampler.add(constant("late", 1), {0.001}).ok());
}

TEST(Sampler, StopsAtOnceAlthoughTheNextSampleIsFar) {
  Sampler sampler;
  (void)*sampler.add(constant("x", 1), {60});
  ASSERT_TRUE(sampler.start().ok());
  ASSERT_TRUE(within_seconds_of_now(60, [&] { return !sampler.trace(0).samples.empty(); }));
  const Stopwatch watch;
  sampler.stop();
  EXPECT_LT(watch.seconds(), 1);
  EXPECT_EQ(sampler.trace(0).samples.size(), 2u);
}

}  // namespace
}  // namespace flyball
