#include "profile/trials/idle_power.h"

#include <gmock/gmock.h>

#include "profile/trials/device_script_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;

const IdleOptions quick{.settle_s = 0.01, .seconds = 0.1};

TEST(IdlePower, MeasuresTheModeThatItSets) {
  ScriptedDevice device;
  int asked = 0;  // 6.1, 6.2, … 6.5 W, of five stretches; the first reading is of the settling
  ScriptedMeter meter([&] { return device.setting("gpu_mhz", 600) / 100 + 0.1 * asked++; });
  const PowerMode slow{{{"gpu_mhz", 300}}};
  const auto idle = measure_idle(device, meter, slow, quick);
  ASSERT_TRUE(idle.ok()) << idle.error().message;
  EXPECT_EQ(idle->mode.values, slow.values);
  EXPECT_EQ(idle->total, "module");
  EXPECT_EQ(idle->fingerprint, "board of a script");
  EXPECT_NEAR(idle->power_w, 3.3, 1e-9);
  EXPECT_NEAR(idle->q1_w, 3.2, 1e-9);
  EXPECT_NEAR(idle->q3_w, 3.4, 1e-9);
  EXPECT_TRUE(idle->settled);
  EXPECT_EQ(idle->updates, 15);
  EXPECT_GE(idle->seconds, 0.1);
  EXPECT_GE(idle->settle_s, 0.01);
  EXPECT_EQ(device.applied.size(), 1u);
}

// What it does not name is as the board had it: not as the mode before left it.
TEST(IdlePower, EachModeIsMeasuredByItself) {
  ScriptedDevice device;
  ScriptedMeter meter([&] { return device.setting("gpu_mhz", 600) / 100; });
  EXPECT_EQ(measure_idle(device, meter, {{{"gpu_mhz", 300}}}, quick)->power_w, 3);
  EXPECT_EQ(measure_idle(device, meter, {{{"cpu_cores", 1}}}, quick)->power_w, 6);
  EXPECT_EQ(measure_idle(device, meter, {{{"gpu_mhz", 300}}}, quick)->power_w, 3);
  EXPECT_EQ(measure_idle(device, meter, {}, quick)->power_w, 6);
}

// As on releases that need a reboot to raise a clock again.
TEST(IdlePower, AModeThatIsLowerStillNeedsNoClockToRise) {
  ScriptedDevice device;
  device.only_down = true;
  ScriptedMeter meter([&] { return device.setting("gpu_mhz", 600) / 100; });
  EXPECT_EQ(measure_idle(device, meter, {{{"gpu_mhz", 450}, {"cpu_cores", 1}}}, quick)->power_w,
            4.5);
  const auto lower = measure_idle(device, meter, {{{"gpu_mhz", 300}}}, quick);
  ASSERT_TRUE(lower.ok()) << lower.error().message;
  EXPECT_EQ(lower->power_w, 3);
  EXPECT_EQ(device.now.values, (Settings{{"gpu_mhz", 300}})) << "the cores are as they were";
  // What the modes before left is no part of these.
  for (const PowerMode& other : {PowerMode{{{"cpu_cores", 1}}}, PowerMode()})
    EXPECT_THAT(measure_idle(device, meter, other, quick).error().message,
                HasSubstr("did not rise"));
}

TEST(IdlePower, LeavesTheBoardAsItIsWhereNoModeIsNamed) {
  ScriptedDevice device;
  ScriptedMeter meter([] { return 5.0; });
  const auto idle = measure_idle(device, meter, {}, quick);
  ASSERT_TRUE(idle.ok());
  EXPECT_TRUE(device.applied.empty());
  EXPECT_EQ(idle->caps.values.at("gpu_mhz"), 600);
}

TEST(IdlePower, WithoutASensorThereIsNone) {
  ScriptedDevice device;
  ScriptedMeter meter([] { return 5.0; });
  meter.name = "";
  const auto idle = measure_idle(device, meter, {}, quick);
  ASSERT_FALSE(idle.ok());
  EXPECT_EQ(idle.error().code, Code::unavailable);
  EXPECT_THAT(idle.error().message, HasSubstr("there is no sensor"));
  meter.name = "module";
  device.refuse = true;
  EXPECT_THAT(measure_idle(device, meter, {{{"gpu_mhz", 300}}}, quick).error().message,
              HasSubstr("did not take"));
}

TEST(IdlePower, IsNoneOfAModeThatDidNotStandUntilItsEnd) {
  ScriptedDevice device;
  ScriptedMeter meter([&] {
    device.stands = [] { return Error{Code::unavailable, "the helper went away", ""}; };
    return 5.0;
  });
  const auto idle = measure_idle(device, meter, {{{"gpu_mhz", 300}}}, quick);
  ASSERT_FALSE(idle.ok());
  EXPECT_EQ(idle.error().message, "the helper went away");
}

TEST(IdlePower, CanBeInterrupted) {
  ScriptedDevice device;
  ScriptedMeter meter([] { return 5.0; });
  const std::atomic<bool> stop = true;
  IdleOptions options = quick;
  options.interrupted = &stop;
  EXPECT_EQ(measure_idle(device, meter, {}, options).error().code, Code::interrupted);
}

}  // namespace
}  // namespace flyball
