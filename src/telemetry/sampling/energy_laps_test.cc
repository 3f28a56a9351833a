#include "telemetry/sampling/energy_laps.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>

#include "base/clock.h"
#include "telemetry/sensors/simple_sensors.h"

namespace flyball {
namespace {

constexpr int64_t ms_in_ns = 1'000'000;

SensorInfo rail(const std::string& name, const std::string& total) {
  SensorInfo info{.name = name, .unit = "W", .kind = SensorKind::power, .source = "t"};
  info.total = total;
  info.period_s = 0.4;  // a busy machine leaves no gap
  return info;
}

// The sampler keeps a second of three: none of the energy is lost.
TEST(EnergyLaps, AStretchMayBeLongerThanItsSamplesAreKept) {
  std::atomic<double> watts{10};
  Sampler sampler;
  const auto add = [&](const SensorInfo& info, double factor) {
    return sampler.add(
        function_sensor(info, [&, factor](int64_t) { return Result<double>(factor * watts); }),
        {0.001}, {1});
  };
  ASSERT_TRUE(add(rail("a", "module"), 1).ok());
  ASSERT_TRUE(add(rail("b", "module"), 2).ok());
  ASSERT_TRUE(add(rail("c", ""), 3).ok());
  ASSERT_TRUE(sampler.start().ok());
  const int64_t begin_ns = monotonic_ns();
  EnergyLaps laps(sampler, begin_ns, {0.1});
  while (monotonic_ns() < begin_ns + 3000 * ms_in_ns) {
    if (monotonic_ns() > begin_ns + 1500 * ms_in_ns) watts = 20;
    sleep_until_ns(monotonic_ns() + 20 * ms_in_ns);
    laps.look();
  }
  const int64_t end_ns = monotonic_ns();
  sampler.stop();
  EXPECT_GT(sampler.trace(0).stats.overwritten, 0u);
  laps.end(end_ns);
  const double all_s = seconds_between(begin_ns, end_ns);
  const double one_j = 20 * all_s - 15;
  ASSERT_EQ(laps.sensors().size(), 3u);
  ASSERT_EQ(laps.totals().size(), 1u);
  const auto near = [&](const EnergyLaps::Sum& sum, const std::string& name, double factor) {
    EXPECT_EQ(sum.name, name);
    ASSERT_TRUE(sum.energy.ok());
    EXPECT_NEAR(sum.energy->window_s, all_s, 1e-6);
    EXPECT_NEAR(sum.energy->covered_s, all_s, 0.01);
    EXPECT_NEAR(sum.energy->energy_j, factor * one_j, 0.05 * factor * one_j);
  };
  near(laps.sensors()[0], "a", 1);
  near(laps.sensors()[2], "c", 3);
  near(laps.totals()[0], "module", 3);
  EXPECT_EQ(laps.total("module")->energy_j, laps.totals()[0].energy->energy_j);
  EXPECT_FALSE(laps.total("gpu"));
}

// As of marked minibatches: how long a program goes on after the last of them is not known before.
TEST(EnergyLaps, AStretchMayHaveEndedLongBeforeItIsKnown) {
  Sampler sampler;
  ASSERT_TRUE(
      sampler
          .add(function_sensor(rail("a", "module"), [](int64_t) { return Result<double>(10.0); }),
               {0.001}, {1})
          .ok());
  ASSERT_TRUE(sampler.start().ok());
  const int64_t begin_ns = monotonic_ns(), end_ns = begin_ns + 700 * ms_in_ns;
  EnergyLaps laps(sampler, begin_ns, {0.1});
  while (monotonic_ns() < begin_ns + 3000 * ms_in_ns) {
    sleep_until_ns(monotonic_ns() + 20 * ms_in_ns);
    laps.look(std::min(end_ns, monotonic_ns()));
  }
  sampler.stop();
  laps.end(end_ns);
  ASSERT_TRUE(laps.total("module"));
  EXPECT_NEAR(laps.total("module")->window_s, 0.7, 1e-6);
  EXPECT_NEAR(laps.total("module")->energy_j, 7, 0.35);
}

SensorInfo counter_of_events() {
  SensorInfo info{.name = "cpu_throttle", .unit = "1", .kind = SensorKind::counter, .source = "t"};
  info.throttling = Throttling::cpu_events;
  return info;
}

TEST(EnergyLaps, WhatThrottledIsToldThoughItsSamplesAreNoLongerKept) {
  std::atomic<double> events{3};
  Sampler sampler;
  ASSERT_TRUE(sampler
                  .add(function_sensor(counter_of_events(),
                                       [&](int64_t) { return Result<double>(events); }),
                       {0.001}, {1})
                  .ok());
  ASSERT_TRUE(sampler.start().ok());
  const int64_t begin_ns = monotonic_ns();
  EnergyLaps laps(sampler, begin_ns, {0.1});
  std::optional<EnergyLaps> later;
  while (monotonic_ns() < begin_ns + 3000 * ms_in_ns) {
    if (monotonic_ns() > begin_ns + 500 * ms_in_ns) events = 5;
    if (!later && monotonic_ns() > begin_ns + 1000 * ms_in_ns)
      later.emplace(sampler, monotonic_ns(), Seconds{0.1});
    sleep_until_ns(monotonic_ns() + 20 * ms_in_ns);
    laps.look();
    if (later) later->look();
  }
  const int64_t end_ns = monotonic_ns();
  sampler.stop();
  EXPECT_GT(sampler.trace(0).stats.overwritten, 0u);
  laps.end(end_ns);
  later->end(end_ns);
  EXPECT_THAT(laps.throttling(), testing::Optional(testing::ElementsAre("cpu thermal slowdown")));
  EXPECT_THAT(later->throttling(), testing::Optional(testing::IsEmpty()));
}

TEST(EnergyLaps, ASensorThatFailsForAWhileHasAGapAndOneThatNeverReadsAnError) {
  std::atomic<bool> fails{true};
  Sampler sampler;
  ASSERT_TRUE(sampler
                  .add(function_sensor(rail("a", "module"),
                                       [&](int64_t) {
                                         return fails ? Result<double>(Error{Code::io, "off", ""})
                                                      : Result<double>(10.0);
                                       }),
                       {0.001})
                  .ok());
  ASSERT_TRUE(sampler.start().ok());
  const int64_t begin_ns = monotonic_ns();
  EnergyLaps laps(sampler, begin_ns, {0.1}), never(sampler, begin_ns);
  sleep_until_ns(begin_ns + 500 * ms_in_ns);
  laps.look();
  const int64_t failed_until_ns = monotonic_ns();
  never.end(failed_until_ns);
  fails = false;
  sleep_until_ns(failed_until_ns + 500 * ms_in_ns);
  const int64_t end_ns = monotonic_ns();
  sampler.stop();
  laps.end(end_ns);
  ASSERT_TRUE(laps.sensors()[0].energy.ok());
  const EnergyWindow window = *laps.sensors()[0].energy;
  EXPECT_NEAR(window.window_s, seconds_between(begin_ns, end_ns), 1e-6);
  EXPECT_NEAR(window.mean_w, 10, 1e-6);
  EXPECT_EQ(window.min_w, 10);
  EXPECT_FALSE(window.complete());
  ASSERT_FALSE(never.sensors()[0].energy.ok());
  EXPECT_NE(never.sensors()[0].energy.error().message.find("off"), std::string::npos);
  EXPECT_FALSE(never.totals()[0].energy.ok());
}

}  // namespace
}  // namespace flyball
