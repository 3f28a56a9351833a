#include "telemetry/sampling/energy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace flyball {
namespace {

constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kWholeSecond = 1000 * kMillisecond;

Trace power_trace(int64_t period_ns) {
  Trace trace;
  trace.info = {.name = "rail", .unit = "W", .kind = SensorKind::power, .total = "module"};
  trace.period_s = static_cast<double>(period_ns) * 1e-9;
  return trace;
}

Trace counter_trace(int64_t period_ns, double wrap) {
  Trace trace;
  trace.info = {.name = "package-0",
                .unit = "J",
                .kind = SensorKind::energy_counter,
                .total = "package",
                .period_s = 0.001,
                .wrap = wrap,
                .max_rate = 5000};
  trace.period_s = static_cast<double>(period_ns) * 1e-9;
  return trace;
}

// A constant rail: energy is power times time, whatever the window and the jitter.
TEST(Energy, OfAConstantRailIsPowerTimesTime) {
  Random random(3);
  Trace trace = power_trace(10 * kMillisecond);
  for (int64_t t = 0; t <= 2 * kWholeSecond; t += 10 * kMillisecond)
    trace.samples.push_back({t + static_cast<int64_t>(random.uniform() * 2e6), 12.5});
  for (int i = 0; i < 500; ++i) {
    const auto begin = static_cast<int64_t>(random.uniform() * 1e9);
    const int64_t end = begin + kMillisecond + static_cast<int64_t>(random.uniform() * 9e8);
    const auto window = energy_between(trace, begin, end);
    ASSERT_TRUE(window.ok());
    const double seconds = static_cast<double>(end - begin) * 1e-9;
    EXPECT_NEAR(window->energy_j, 12.5 * seconds, 1e-9);
    EXPECT_NEAR(window->mean_w, 12.5, 1e-9);
    EXPECT_TRUE(window->complete());
  }
}

TEST(Energy, InterpolatesTheEdgesOfARamp) {
  Trace trace = power_trace(100 * kMillisecond);
  for (int i = 0; i <= 10; ++i) trace.samples.push_back({i * 100 * kMillisecond, 10.0 * i});
  const auto window = energy_between(trace, 250 * kMillisecond, 750 * kMillisecond);
  ASSERT_TRUE(window.ok());
  EXPECT_NEAR(window->energy_j, 25.0, 1e-9);  // mean 50 W over 0.5 s
  EXPECT_NEAR(window->mean_w, 50.0, 1e-9);
  EXPECT_EQ(window->samples, 5);
  EXPECT_EQ(window->min_w, 30);
  EXPECT_EQ(window->max_w, 70);
  // Σ P(t_i)(t_i − t_{i−1}), the first interval from the beginning of the window.
  EXPECT_NEAR(window->rectangle_j, 30 * 0.05 + (40 + 50 + 60 + 70) * 0.1, 1e-9);
}

TEST(Energy, AWindowBetweenTwoSamplesIsInterpolated) {
  Trace trace = power_trace(kWholeSecond);
  trace.samples = {{0, 10}, {kWholeSecond, 20}};
  const auto window = energy_between(trace, 400 * kMillisecond, 600 * kMillisecond);
  ASSERT_TRUE(window.ok());
  EXPECT_NEAR(window->energy_j, 15 * 0.2, 1e-9);
  EXPECT_EQ(window->samples, 0);
}

TEST(Energy, AGapIsStatedAndNotFilled) {
  Trace trace = power_trace(10 * kMillisecond);
  for (int64_t t = 0; t <= 300 * kMillisecond; t += 10 * kMillisecond)
    trace.samples.push_back({t, 10});
  for (int64_t t = 700 * kMillisecond; t <= kWholeSecond; t += 10 * kMillisecond)
    trace.samples.push_back({t, 10});
  const auto window = energy_between(trace, 0, kWholeSecond);
  ASSERT_TRUE(window.ok());
  EXPECT_EQ(window->gaps, 1);
  EXPECT_NEAR(window->gap_s, 0.4, 1e-9);
  EXPECT_NEAR(window->longest_gap_s, 0.4, 1e-9);
  EXPECT_NEAR(window->covered_s, 0.6, 1e-9);
  EXPECT_NEAR(window->energy_j, 6.0, 1e-9);
  EXPECT_NEAR(window->mean_w, 10.0, 1e-9);
  EXPECT_NEAR(window->rectangle_j, 6.0, 1e-9);
  EXPECT_FALSE(window->complete());
}

TEST(Energy, ATraceThatStopsEarlyHasAGapAtTheEnd) {
  Trace trace = power_trace(10 * kMillisecond);
  for (int64_t t = 100 * kMillisecond; t <= 500 * kMillisecond; t += 10 * kMillisecond)
    trace.samples.push_back({t, 10});
  const auto window = energy_between(trace, 85 * kMillisecond, kWholeSecond);
  ASSERT_TRUE(window.ok());
  EXPECT_EQ(window->gaps, 1);  // 15 ms before the first sample are held, 500 ms after are not
  EXPECT_NEAR(window->gap_s, 0.5, 1e-9);
  EXPECT_NEAR(window->energy_j, 10 * 0.415, 1e-9);
}

TEST(Energy, OfACounterIsTheDifferenceOverAWrap) {
  Trace trace = counter_trace(10 * kMillisecond, 100);
  for (int i = 0; i <= 200; ++i)
    trace.samples.push_back({i * 10 * kMillisecond, std::fmod(90 + 0.4 * i, 100)});
  const auto window = energy_between(trace, 5 * kMillisecond, 1995 * kMillisecond);
  ASSERT_TRUE(window.ok());
  EXPECT_NEAR(window->energy_j, 40 * 1.99, 1e-6);
  EXPECT_EQ(window->wraps, 1);
  EXPECT_NEAR(window->min_w, 40, 1e-6);
  EXPECT_NEAR(window->max_w, 40, 1e-6);
  // Each edge lies within a millisecond of an update: 40 W of which half one at either.
  EXPECT_NEAR(window->edge_j, 0.04, 0.001);
  EXPECT_NEAR(window->noise, 0.04 / std::sqrt(6.0) / window->energy_j, 1e-5);
  EXPECT_TRUE(window->complete());
}

TEST(Energy, ACounterThatIsReadRarelyLosesNothing) {
  Trace trace = counter_trace(10 * kMillisecond, 262143);
  trace.samples = {{0, 100},
                   {10 * kMillisecond, 101},
                   {3 * kWholeSecond, 400},
                   {3 * kWholeSecond + 10 * kMillisecond, 401}};
  const auto window = energy_between(trace, 0, 3 * kWholeSecond + 10 * kMillisecond);
  ASSERT_TRUE(window.ok());
  EXPECT_NEAR(window->energy_j, 301, 1e-9);
  EXPECT_TRUE(window->complete());
  // So long that it may have gone round unseen: nobody knows.
  trace.samples[2].time_ns += 100 * kWholeSecond;
  trace.samples[3].time_ns += 100 * kWholeSecond;
  const auto unsure = energy_between(trace, 0, 103 * kWholeSecond + 10 * kMillisecond);
  ASSERT_TRUE(unsure.ok());
  EXPECT_EQ(unsure->gaps, 1);
  EXPECT_NEAR(unsure->energy_j, 2, 1e-9);
}

// The pause is that which was asked for, and still too long.
TEST(Energy, ACounterThatMayHaveGoneRoundAtEachReadingIsAGap) {
  Trace trace = counter_trace(3600 * kWholeSecond, 262143);
  for (int i = 0; i <= 3; ++i)
    trace.samples.push_back({i * 3600 * kWholeSecond, std::fmod(360000.0 * i, 262143)});
  const auto window = energy_between(trace, 0, 10800 * kWholeSecond);
  EXPECT_TRUE(!window.ok() || window->gap_s > 10000) << window->energy_j;
}

TEST(Energy, AResetIsAGapAndNeverNegative) {
  Trace trace = counter_trace(10 * kMillisecond, 262143);
  for (int i = 0; i < 100; ++i) trace.samples.push_back({i * 10 * kMillisecond, 500 + 0.1 * i});
  for (int i = 100; i <= 200; ++i)
    trace.samples.push_back({i * 10 * kMillisecond, 0.1 * (i - 100)});
  const auto window = energy_between(trace, 0, 2 * kWholeSecond);
  ASSERT_TRUE(window.ok());
  EXPECT_EQ(window->gaps, 1);
  EXPECT_NEAR(window->gap_s, 0.01, 1e-9);
  EXPECT_NEAR(window->energy_j, 19.9, 1e-6);
}

TEST(Energy, NeighbouringWindowsAddUp) {
  Random random(11);
  Trace trace = power_trace(10 * kMillisecond);
  int64_t t = 0;
  for (int i = 0; i < 400; ++i) {
    trace.samples.push_back({t, 5 + 20 * random.uniform()});
    t += 8 * kMillisecond + static_cast<int64_t>(4e6 * random.uniform());
  }
  const double whole = energy_between(trace, 0, 3 * kWholeSecond)->energy_j;
  double parts = 0;
  for (int i = 0; i < 30; ++i)
    parts += energy_between(trace, i * 100 * kMillisecond, (i + 1) * 100 * kMillisecond)->energy_j;
  EXPECT_NEAR(parts, whole, 1e-9);
}

TEST(Energy, CountsNewValuesOnly) {
  Trace trace = power_trace(10 * kMillisecond);
  for (int i = 0; i < 100; ++i) trace.samples.push_back({i * 10 * kMillisecond, 10.0 + (i / 10)});
  find_repeats(trace);
  EXPECT_TRUE(trace.stats.repeats);
  EXPECT_NEAR(trace.stats.true_period_s, 0.1, 1e-6);
  EXPECT_EQ(trace.stats.distinct, 10u);
  const auto window = energy_between(trace, 0, 990 * kMillisecond);
  EXPECT_EQ(window->samples, 100);
  EXPECT_EQ(window->distinct_updates, 10);
}

TEST(Energy, TruePeriodIgnoresChangesThatHappenToBeEqual) {
  Random random(5);
  std::vector<Sample> samples;
  double value = 0;
  for (int i = 0; i < 2000; ++i) {
    if (i % 7 == 0 && random.uniform() < 0.8) value += 1;
    samples.push_back({i * 10 * kMillisecond, value});
  }
  EXPECT_NEAR(true_period_s(samples), 0.07, 1e-6);
  EXPECT_EQ(true_period_s({}), 0);
  EXPECT_EQ(true_period_s({{0, 1}, {kWholeSecond, 1}, {2 * kWholeSecond, 2}}), 0);
}

TEST(Energy, ATotalSumsItsPartsAndLeavesNoneOut) {
  Trace a = power_trace(10 * kMillisecond), b = power_trace(10 * kMillisecond),
        other = power_trace(10 * kMillisecond);
  other.info.total = "";
  for (int64_t t = 0; t <= kWholeSecond; t += 10 * kMillisecond) {
    a.samples.push_back({t, 10});
    b.samples.push_back({t, 5});
    other.samples.push_back({t, 7});
  }
  const auto sum = total_between({a, other, b}, "module", 0, kWholeSecond);
  ASSERT_TRUE(sum.ok());
  EXPECT_NEAR(sum->energy_j, 15, 1e-9);
  EXPECT_NEAR(sum->mean_w, 15, 1e-9);
  EXPECT_EQ(totals_of({a, other, b}), std::vector<std::string>{"module"});
  b.samples.clear();
  b.stats.last_error = "gone";
  const auto broken = total_between({a, other, b}, "module", 0, kWholeSecond);
  ASSERT_FALSE(broken.ok());
  EXPECT_NE(broken.error().message.find("gone"), std::string::npos);
  EXPECT_EQ(total_between({a}, "gpu", 0, kWholeSecond).error().code, Code::unavailable);
}

// One 0 W rail used to leave a total without updates, and its noise no number.
TEST(Energy, ARailThatStandsStillHoldsNoTotalUp) {
  Trace noisy = power_trace(10 * kMillisecond), still = power_trace(10 * kMillisecond);
  for (int i = 0; i <= 100; ++i) {
    noisy.samples.push_back({i * 10 * kMillisecond, 10 + 0.1 * (i % 5)});
    still.samples.push_back({i * 10 * kMillisecond, 0});
  }
  const auto alone = total_between({noisy}, "module", 0, kWholeSecond);
  for (const double watts : {0.0, 3.0}) {
    for (Sample& sample : still.samples) sample.value = watts;
    for (const auto& traces : {std::vector<Trace>{noisy, still}, {still, noisy}}) {
      const auto sum = total_between(traces, "module", 0, kWholeSecond);
      ASSERT_TRUE(sum.ok());
      EXPECT_EQ(sum->distinct_updates, 101);
      EXPECT_NEAR(sum->mean_w, alone->mean_w + watts, 1e-9);
      EXPECT_NEAR(sum->noise * sum->mean_w, alone->noise * alone->mean_w, 1e-9);
    }
  }
  // One that is frozen says nothing new, and a source has to be watched for as long as it takes.
  const auto frozen = total_between({still, still}, "module", 0, kWholeSecond);
  EXPECT_LT(frozen->distinct_updates, 2);
  EXPECT_TRUE(std::isinf(frozen->noise));
  still.info.period_s = 2;
  EXPECT_LT(total_between({noisy, still}, "module", 0, kWholeSecond)->distinct_updates, 2);
}

TEST(Energy, ATotalIsOfTheTimeInWhichAllItsPartsAreKnown) {
  Trace a = power_trace(10 * kMillisecond), b = power_trace(10 * kMillisecond);
  for (int i = 0; i <= 100; ++i) {
    if (i <= 20 || i >= 40) a.samples.push_back({i * 10 * kMillisecond, 10});
    if (i <= 70) b.samples.push_back({i * 10 * kMillisecond, 5});
  }
  const auto sum = total_between({a, b}, "module", 0, kWholeSecond);
  ASSERT_TRUE(sum.ok());
  // The last value of b holds for two periods: 0 to 200 ms and 400 to 700 ms are known of both.
  EXPECT_NEAR(sum->covered_s, 0.5, 1e-9);
  EXPECT_NEAR(sum->energy_j, 15 * 0.5, 1e-9);
  EXPECT_NEAR(sum->mean_w, 15, 1e-9);
  EXPECT_NEAR(sum->rectangle_j, 15 * 0.5, 0.2);
  EXPECT_NEAR(sum->gap_s, 0.5, 1e-9);
  EXPECT_NEAR(sum->longest_gap_s, 0.3, 1e-9);
  EXPECT_NEAR(sum->window_s, 1, 1e-9);
  EXPECT_EQ(sum->gaps, 2);
  EXPECT_FALSE(sum->complete());
}

TEST(Energy, WindowsInARowAreOne) {
  Random random(5);
  Trace trace = power_trace(10 * kMillisecond);
  for (int i = 0; i <= 400; ++i)
    trace.samples.push_back({i * 10 * kMillisecond, 10 + random.uniform()});
  const auto whole = energy_between(trace, 0, 4 * kWholeSecond);
  EnergyWindow row = *energy_between(trace, 0, kWholeSecond);
  for (int i = 1; i < 4; ++i)
    row = joined(row, *energy_between(trace, i * kWholeSecond, (i + 1) * kWholeSecond));
  EXPECT_NEAR(row.energy_j, whole->energy_j, 1e-9);
  EXPECT_NEAR(row.mean_w, whole->mean_w, 1e-9);
  EXPECT_NEAR(row.covered_s, 4, 1e-9);
  EXPECT_NEAR(row.noise, whole->noise, 0.1 * whole->noise);
  EXPECT_NEAR(row.distinct_updates, whole->distinct_updates, 4);
  EXPECT_EQ(row.min_w, whole->min_w);
}

TEST(Energy, RefusesWhatHasNone) {
  Trace trace = power_trace(10 * kMillisecond);
  EXPECT_EQ(energy_between(trace, 0, kWholeSecond).error().code, Code::unavailable);
  trace.samples = {{0, 1}, {kWholeSecond, 1}};
  EXPECT_EQ(energy_between(trace, 5, 5).error().code, Code::invalid_argument);
  trace.info.kind = SensorKind::gauge;
  EXPECT_EQ(energy_between(trace, 0, kWholeSecond).error().code, Code::invalid_argument);
}

}  // namespace
}  // namespace flyball
