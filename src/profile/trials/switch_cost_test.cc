#include "profile/trials/switch_cost.h"

#include <gmock/gmock.h>

#include "profile/trials/device_script_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;

TEST(SwitchCost, EachKnobAloneAndAllAtOnce) {
  ScriptedDevice device;
  const auto switches = switches_of(device, {});
  ASSERT_TRUE(switches.ok()) << switches.error().message;
  std::vector<std::string> names;
  for (const ModeSwitch& change : *switches) names.push_back(change.name);
  EXPECT_THAT(names,
              testing::ElementsAre("cpu_cores", "cpu_cores", "gpu_mhz", "gpu_mhz", "all", "all"));
  EXPECT_EQ((*switches)[0].from.values, (Settings{{"cpu_cores", 4}}));
  EXPECT_EQ((*switches)[0].to.values, (Settings{{"cpu_cores", 1}}));
  EXPECT_EQ((*switches)[1].to.values, (Settings{{"cpu_cores", 4}}));
  EXPECT_EQ((*switches)[5].to.values, (Settings{{"cpu_cores", 4}, {"gpu_mhz", 600}}));
}

// The locks of a GPU change a machine that was asked for its cores alone.
TEST(SwitchCost, WhatHasToBeAskedForIsChangedBetweenNamedModesAlone) {
  ScriptedDevice device;
  device.asked_gpu = true;
  const auto unnamed = *switches_of(device, {});
  ASSERT_EQ(unnamed.size(), 2u);
  for (const ModeSwitch& change : unnamed) EXPECT_EQ(change.name, "cpu_cores");
  const auto named = *switches_of(device, {{{{"gpu_mhz", 300}}}, {{{"gpu_mhz", 600}}}});
  EXPECT_EQ(named[0].to.values, (Settings{{"gpu_mhz", 600}}));
}

TEST(SwitchCost, NamedModesInBothDirections) {
  ScriptedDevice device;
  const std::vector<PowerMode> modes = {
      {{{"gpu_mhz", 300}}}, {{{"gpu_mhz", 600}}}, {{{"cpu_cores", 1}}}};
  EXPECT_EQ(switches_of(device, modes)->size(), 6u);
  const auto alone = switches_of(device, {modes[0]});
  ASSERT_FALSE(alone.ok());
  EXPECT_THAT(alone.error().message, HasSubstr("one mode alone"));
}

// Else a change to a mode would leave what the other one has set, and be named as if it did not.
TEST(SwitchCost, WhatOnlyOneModeNamesTheOtherHasAsTheBoard) {
  ScriptedDevice device;
  const auto switches = *switches_of(device, {{{{"gpu_mhz", 300}}}, {{{"cpu_cores", 1}}}});
  ASSERT_EQ(switches.size(), 2u);
  EXPECT_EQ(switches[0].from.values, (Settings{{"cpu_cores", 4}, {"gpu_mhz", 300}}));
  EXPECT_EQ(switches[0].to.values, (Settings{{"cpu_cores", 1}, {"gpu_mhz", 600}}));
}

TEST(SwitchCost, EachChangeIsTimedByItself) {
  ScriptedDevice device;
  const auto switches = *switches_of(device, {});
  std::vector<Settings> set;  // all that is set, at each apply()
  device.told = [&](const PowerMode&) { set.push_back(device.now.values); };
  ASSERT_TRUE(measure_switches(device, {switches[0], switches[2]}, {.rounds = 1}).ok());
  const Settings high_cores = {{"cpu_cores", 4}}, few_cores = {{"cpu_cores", 1}},
                 high_gpu = {{"gpu_mhz", 600}}, slow_gpu = {{"gpu_mhz", 300}};
  EXPECT_THAT(set, testing::UnorderedElementsAre(Settings(), high_cores, few_cores, Settings(),
                                                 high_gpu, slow_gpu));
}

TEST(SwitchCost, CountsUntilTheClocksAreSeen) {
  ScriptedDevice device;
  device.lag_s = 0.02;
  const auto cost = measure_switches(
      device, *switches_of(device, {{{{"gpu_mhz", 300}}}, {{{"gpu_mhz", 600}}}}), {.rounds = 3});
  ASSERT_TRUE(cost.ok()) << cost.error().message;
  for (const ModeSwitch& change : cost->switches) {
    EXPECT_EQ(change.ms.size(), 3u);
    EXPECT_EQ(change.unseen, 0);
    EXPECT_GE(change.spread().median, 20);
  }
  EXPECT_GE(cost->switch_ms(), 20);
  device.lag_s = 10;
  const auto never =
      measure_switches(device, *switches_of(device, {{{{"gpu_mhz", 300}}}, {{{"gpu_mhz", 600}}}}),
                       {.rounds = 1, .patience_s = 0.01});
  EXPECT_EQ(never->switches[0].unseen, 1);
}

TEST(SwitchCost, TheOrderIsThatOfTheSeed) {
  const auto order = [](uint64_t seed) {
    ScriptedDevice device;
    EXPECT_TRUE(
        measure_switches(device, *switches_of(device, {}), {.rounds = 4, .seed = seed}).ok());
    std::vector<Settings> applied;
    for (const PowerMode& mode : device.applied) applied.push_back(mode.values);
    return applied;
  };
  EXPECT_EQ(order(3), order(3));
  EXPECT_NE(order(3), order(4));
  ScriptedDevice device;
  device.refuse = true;
  EXPECT_FALSE(measure_switches(device, *switches_of(device, {}), {}).ok());
}

}  // namespace
}  // namespace flyball
