#include "telemetry/sampling/power_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "base/clock.h"
#include "base/random.h"
#include "telemetry/sensors/simple_sensors.h"

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

constexpr int64_t kMs = 1'000'000;

SensorInfo rail(const std::string& total = "module") {
  return {.name = "VDD_IN", .unit = "W", .kind = SensorKind::power, .source = "t", .total = total};
}

Trace trace_of(double (*power)(double), int64_t until_ms) {
  Trace trace;
  trace.info = rail();
  trace.period_s = 0.01;
  for (int64_t t = 0; t <= until_ms; t += 10)
    trace.samples.push_back({t * kMs, power(static_cast<double>(t) * 1e-3)});
  return trace;
}

TEST(SettleRule, ARampHasNotSettledAndAPlateauHas) {
  const SettleRule rule;
  const auto ramp = [](double s) { return s < 2 ? 5 + 10 * s : 25.0; };
  for (int64_t ms : {500, 1000, 1500, 2000, 2400})
    EXPECT_FALSE(rule.settled({trace_of(ramp, ms)}, "module", 0, ms * kMs)) << ms;
  EXPECT_TRUE(rule.settled({trace_of(ramp, 3100)}, "module", 0, 3100 * kMs));
}

TEST(SettleRule, WaitsForTwoStretchesAndForSlowSources) {
  const SettleRule rule;
  const auto flat = [](double) { return 10.0; };
  EXPECT_FALSE(rule.settled({trace_of(flat, 900)}, "module", 0, 900 * kMs));
  EXPECT_TRUE(rule.settled({trace_of(flat, 1100)}, "module", 0, 1100 * kMs));
  Trace slow = trace_of(flat, 4000);
  slow.info.period_s = 0.5;
  EXPECT_FALSE(rule.settled({slow}, "module", 0, 4000 * kMs));
  EXPECT_FALSE(rule.settled({}, "module", 0, 4000 * kMs));
}

TEST(SettleRule, ANoisyPlateauIsAPlateau) {
  const SettleRule rule;
  Random random(1);
  Trace trace = trace_of([](double) { return 20.0; }, 2000);
  for (Sample& sample : trace.samples) sample.value += 12 * (random.uniform() - 0.5);
  EXPECT_TRUE(rule.settled({trace}, "module", 0, 2000 * kMs));
}

TEST(PowerWatch, MeasuresTheCountedWindowOnly) {
  std::atomic<double> watts{50};
  int step = 0;
  SensorList sensors;
  sensors.sensors = {function_sensor(
      rail(), [&](int64_t) { return Result<double>(watts + 0.001 * (step++ % 7)); })};
  PowerWatch watch(sensors, "", {0.02}, {.stretch = {0.25}});
  EXPECT_EQ(watch.total(), "module");
  EXPECT_EQ(watch.gap(), "");
  for (int trial = 0; trial < 2; ++trial) {
    watts = 50;
    ASSERT_TRUE(watch.begin().ok());
    EXPECT_FALSE(watch.settled());
    sleep_until_ns(monotonic_ns() + 100 * kMs);
    watts = 10;
    const int64_t begin = monotonic_ns();
    while (!watch.settled() && monotonic_ns() < begin + 20'000 * kMs)
      sleep_until_ns(monotonic_ns() + 5 * kMs);
    EXPECT_TRUE(watch.settled());
    watch.count();
    sleep_until_ns(monotonic_ns() + 600 * kMs);
    EXPECT_GT(watch.updates(), 5);
    const auto reading = watch.end();
    ASSERT_TRUE(reading.ok());
    EXPECT_NEAR(reading->mean_w, 10, 0.1);
    EXPECT_EQ(reading->total, "module");
    EXPECT_NEAR(reading->energy_j, 10 * reading->window_s, 0.05 * 10 * reading->window_s);
    EXPECT_GT(reading->distinct_updates, 10);
    EXPECT_NEAR(reading->samples_wanted, reading->samples_got, 0.5 * reading->samples_wanted);
    EXPECT_EQ(watch.throttling(), std::nullopt);
  }
}

TEST(PowerWatch, LapsFollowEachOtherWithoutAGap) {
  SensorList sensors;
  int step = 0;
  sensors.sensors = {
      function_sensor(rail(), [&](int64_t) { return Result<double>(10 + 0.001 * (step++ % 7)); })};
  PowerWatch watch(sensors, "", {0.02});
  EXPECT_FALSE(watch.lap().ok());  // never begun
  ASSERT_TRUE(watch.begin().ok());
  const int64_t begin_ns = monotonic_ns();
  watch.count();
  double seconds = 0, energy_j = 0;
  for (int lap = 0; lap < 4; ++lap) {
    sleep_until_ns(monotonic_ns() + 50 * kMs);
    const auto reading = watch.lap();
    ASSERT_TRUE(reading.ok()) << reading.error().message;
    seconds += reading->window_s;
    energy_j += reading->energy_j;
  }
  const double all_s = static_cast<double>(monotonic_ns() - begin_ns) * 1e-9;
  EXPECT_LE(seconds, all_s);
  EXPECT_GT(seconds, 0.199);
  EXPECT_NEAR(energy_j, 10 * seconds, 0.05 * 10 * seconds);
}

// Far longer than its samples are kept: power and what throttled are of the whole window.
TEST(PowerWatch, AWindowMayBeOfAnyLength) {
  SensorList sensors;
  int step = 0;
  std::atomic<double> watts{10}, slowed{3};
  SensorInfo info = rail();
  info.period_s = 0.4;  // a busy machine leaves no gap
  sensors.sensors = {
      function_sensor(info, [&](int64_t) { return Result<double>(watts + 0.001 * (step++ % 7)); }),
      function_sensor({.name = "cpu_throttle",
                       .unit = "1",
                       .kind = SensorKind::counter,
                       .source = "h",
                       .throttling = Throttling::cpu_events},
                      [&](int64_t) { return Result<double>(slowed.load()); })};
  PowerWatch watch(sensors, "", {0.001}, {}, {0.3});
  ASSERT_TRUE(watch.begin().ok());
  watch.count();
  const int64_t begin_ns = monotonic_ns();
  sleep_until_ns(begin_ns + 200 * kMs);
  slowed = 4;
  sleep_until_ns(begin_ns + 1500 * kMs);
  watts = 20;
  sleep_until_ns(begin_ns + 3000 * kMs);
  EXPECT_GT(watch.updates(), 1100);  // more than are kept
  const auto reading = watch.end();
  const double all_s = static_cast<double>(monotonic_ns() - begin_ns) * 1e-9;
  ASSERT_TRUE(reading.ok()) << reading.error().message;
  EXPECT_NEAR(reading->window_s, all_s, 0.1 * all_s);
  EXPECT_NEAR(reading->energy_j, 20 * all_s - 15, 0.05 * 20 * all_s);
  EXPECT_GT(reading->samples_got, 1100);
  EXPECT_THAT(watch.throttling(), Optional(ElementsAre("cpu thermal slowdown")));
}

TEST(PowerWatch, WhatThrottledInAnEarlierLapIsTold) {
  std::atomic<double> slowed{3};
  SensorList sensors;
  SensorInfo info = rail();
  info.period_s = 0.4;  // a busy machine leaves no gap
  sensors.sensors = {function_sensor(info, [](int64_t) { return Result<double>(10.0); }),
                     function_sensor({.name = "events",
                                      .unit = "1",
                                      .kind = SensorKind::counter,
                                      .source = "h",
                                      .throttling = Throttling::cpu_events},
                                     [&](int64_t) { return Result<double>(slowed.load()); })};
  PowerWatch watch(sensors, "", {0.005});
  ASSERT_TRUE(watch.begin().ok());
  watch.count();
  sleep_until_ns(monotonic_ns() + 200 * kMs);
  slowed = 4;
  sleep_until_ns(monotonic_ns() + 200 * kMs);
  ASSERT_TRUE(watch.lap().ok());
  sleep_until_ns(monotonic_ns() + 200 * kMs);
  ASSERT_TRUE(watch.end().ok());
  EXPECT_THAT(watch.throttling(), Optional(ElementsAre("cpu thermal slowdown")));
}

TEST(PowerWatch, ASensorThatDiesMakesAnErrorAndNotANumber) {
  std::atomic<bool> dead{false};
  SensorList sensors;
  sensors.sensors = {function_sensor(rail(), [&](int64_t) {
    return dead ? Result<double>(Error{Code::io, "bus hangs", ""}) : Result<double>(10.0);
  })};
  PowerWatch watch(sensors, "", {0.005});
  ASSERT_TRUE(watch.begin().ok());
  watch.count();
  sleep_until_ns(monotonic_ns() + 60 * kMs);
  dead = true;
  sleep_until_ns(monotonic_ns() + 200 * kMs);
  const auto reading = watch.end();
  ASSERT_FALSE(reading.ok());
  EXPECT_THAT(reading.error().message, HasSubstr("was not measured for"));
}

TEST(PowerWatch, WithoutSensorsSaysWhyAndHoldsNobodyUp) {
  SensorList none;
  none.gaps = {{Code::unavailable, "no RAPL", "buy one"}};
  PowerWatch watch(none);
  EXPECT_EQ(watch.total(), "");
  EXPECT_THAT(watch.gap(), HasSubstr("no RAPL"));
  ASSERT_TRUE(watch.begin().ok());
  EXPECT_TRUE(watch.settled());
  watch.count();
  EXPECT_EQ(watch.end().error().code, Code::unavailable);
  SensorList rails;
  rails.sensors = {function_sensor(rail(""), [](int64_t) { return Result<double>(1.0); })};
  rails.gaps = {{Code::not_found, "unknown rails", ""}};
  EXPECT_THAT(PowerWatch(rails).gap(), HasSubstr("of no total: unknown rails"));
}

}  // namespace
}  // namespace flyball
