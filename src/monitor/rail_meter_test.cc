#include "monitor/rail_meter.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "telemetry/sensors/simple_sensors.h"
#include "telemetry/sensors/tree_testing.h"

namespace flyball {
namespace {

void wait_ms(int milliseconds) {
  sleep_until_ns(monotonic_ns() + milliseconds * 1'000'000LL);
}

// A reading counts as taken between two looks at the clock, however late this process is woken.
TEST(RailMeter, IntegratesPower) {
  RailMeter meter(function_sensor({.name = "rail", .unit = "W", .kind = SensorKind::power},
                                  [](int64_t) -> Result<double> { return 10.0; }),
                  true, {60});  // nothing is a gap
  const int64_t before_first_ns = monotonic_ns();
  ASSERT_TRUE(meter.read().ok());
  const int64_t after_first_ns = monotonic_ns();
  int64_t before_last_ns = 0;
  for (int i = 0; i < 4; ++i) {
    wait_ms(10);
    before_last_ns = monotonic_ns();
    ASSERT_TRUE(meter.read().ok());
  }
  const int64_t after_last_ns = monotonic_ns();
  EXPECT_EQ(meter.frame().power_w, 10);
  EXPECT_GE(meter.frame().energy_j, 10e-9 * static_cast<double>(before_last_ns - after_first_ns));
  EXPECT_LE(meter.frame().energy_j, 10e-9 * static_cast<double>(after_last_ns - before_first_ns));
}

TEST(RailMeter, ACountersSlopeIsItsPower) {
  const SensorInfo info{
      .name = "package-0", .unit = "J", .kind = SensorKind::energy_counter, .max_rate = 1000};
  double joules = 100;
  RailMeter meter(function_sensor(info, [&](int64_t) -> Result<double> { return joules; }), true,
                  {0.02});
  const int64_t before_first_ns = monotonic_ns();
  ASSERT_TRUE(meter.read().ok());
  const int64_t after_first_ns = monotonic_ns();
  EXPECT_FALSE(meter.frame().power_w) << "one reading of a counter is no power";
  wait_ms(20);
  joules = 100.5;
  const int64_t before_last_ns = monotonic_ns();
  ASSERT_TRUE(meter.read().ok());
  const int64_t after_last_ns = monotonic_ns();
  ASSERT_TRUE(meter.frame().power_w);
  EXPECT_DOUBLE_EQ(meter.frame().energy_j, 0.5);
  EXPECT_GE(*meter.frame().power_w, 0.5e9 / static_cast<double>(after_last_ns - before_first_ns));
  EXPECT_LE(*meter.frame().power_w, 0.5e9 / static_cast<double>(before_last_ns - after_first_ns));
}

// At 100 W it goes round in 100 ms, and may have before.
TEST(RailMeter, WhatACounterMayHaveGoneRoundInIsNotKnown) {
  const SensorInfo info{.name = "package-0",
                        .unit = "J",
                        .kind = SensorKind::energy_counter,
                        .wrap = 10,
                        .max_rate = 200};
  double joules = 0;
  RailMeter meter(function_sensor(info, [&](int64_t) -> Result<double> { return joules; }), true,
                  {0.1});
  ASSERT_TRUE(meter.read().ok());
  wait_ms(100);
  joules = 3;  // or 13
  const Status round = meter.read();
  ASSERT_FALSE(round.ok());
  EXPECT_NE(round.error().message.find("package-0 went round"), std::string::npos);
  EXPECT_TRUE(meter.frame().reads);
  EXPECT_FALSE(meter.frame().power_w);
  EXPECT_EQ(meter.frame().energy_j, 0);
}

TEST(RailMeter, ASensorThatGoesIsNamedAndMayComeBack) {
  const TestTree tree;
  const auto file = tree.put("power", "5000\n");
  RailMeter meter(
      file_sensor({.name = "VDD_IN", .unit = "W", .kind = SensorKind::power}, file, 1e-3), true,
      {1});
  ASSERT_TRUE(meter.read().ok());
  std::filesystem::remove(file);
  const Status gone = meter.read();
  ASSERT_FALSE(gone.ok());
  EXPECT_NE(gone.error().message.find("VDD_IN"), std::string::npos);
  EXPECT_FALSE(meter.frame().power_w);
  tree.put("power", "6000\n");
  ASSERT_TRUE(meter.read().ok());
  EXPECT_EQ(meter.frame().power_w, 6);
  EXPECT_EQ(meter.frame().energy_j, 0) << "nobody knows what it drew meanwhile";
}

}  // namespace
}  // namespace flyball
