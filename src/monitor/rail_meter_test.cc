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

TEST(RailMeter, IntegratesPower) {
  RailMeter meter(function_sensor({.name = "rail", .unit = "W", .kind = SensorKind::power},
                                  [](int64_t) -> Result<double> { return 10.0; }),
                  true, {0.05});
  const int64_t begin = monotonic_ns();
  ASSERT_TRUE(meter.read().ok());
  for (int i = 0; i < 4; ++i) {
    wait_ms(10);
    ASSERT_TRUE(meter.read().ok());
  }
  const double seconds = static_cast<double>(monotonic_ns() - begin) * 1e-9;
  EXPECT_EQ(meter.frame().power_w, 10);
  EXPECT_NEAR(meter.frame().energy_j, 10 * seconds, 10 * seconds * 0.2);
}

TEST(RailMeter, ACountersSlopeIsItsPower) {
  const SensorInfo info{
      .name = "package-0", .unit = "J", .kind = SensorKind::energy_counter, .max_rate = 1000};
  RailMeter meter(function_sensor(info,
                                  [](int64_t now_ns) -> Result<double> {
                                    return static_cast<double>(now_ns) * 1e-9 * 20;  // 20 W
                                  }),
                  true, {0.02});
  ASSERT_TRUE(meter.read().ok());
  EXPECT_FALSE(meter.frame().power_w) << "one reading of a counter is no power";
  wait_ms(20);
  ASSERT_TRUE(meter.read().ok());
  ASSERT_TRUE(meter.frame().power_w);
  EXPECT_NEAR(*meter.frame().power_w, 20, 2);
  EXPECT_GT(meter.frame().energy_j, 0.35);
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
