#include "device/host/fixed_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/os/temp_folder.h"
#include "device/host/board_device.h"
#include "device/host/board_trees_testing.h"

namespace flyball {
namespace {

TEST(FixedSettings, AreConditionsOfWhatIsMeasured) {
  const TempFolder folder;
  const auto root = std::filesystem::canonical(folder.path()) / "tree";
  trees::write_tree("orin_agx_jp6", root);
  const trees::Writer tree(root);
  const auto conditions = [&] {
    return open_known_board(identify_board(root),
                            {.root = root, .journal = folder / "state/board.journal"})
        ->info()
        .settings;
  };
  const Conditions free = {{"CPU governor", "schedutil"},
                           {"GPU governor", "nvhost_podgov"},
                           {"DVFS", "free"},
                           {"fan", "by temperature"}};
  EXPECT_EQ(conditions(), free);
  // A fan that follows the temperature is the same condition.
  tree.put("sys/class/hwmon/hwmon9/pwm1", "120\n");
  EXPECT_EQ(conditions(), free);
  tree.put("sys/class/hwmon/hwmon9/pwm1", "255\n");
  tree.put("sys/devices/system/cpu/cpu0/cpuidle/state0/disable", "0\n");
  tree.put("sys/devices/system/cpu/cpu0/cpuidle/state1/disable", "1\n");
  EXPECT_EQ(conditions().at("fan"), "full");
  EXPECT_EQ(conditions().at("idle states"), "1");
  tree.put("sys/devices/system/cpu/cpu0/cpuidle/state0/disable", "1\n");
  tree.put("sys/class/hwmon/hwmon9/pwm1", "0\n");
  for (const char* policy : {"policy0", "policy4", "policy8"})
    tree.put(std::string("sys/devices/system/cpu/cpufreq/") + policy + "/scaling_min_freq",
             "2201600\n");
  tree.put("sys/devices/platform/17000000.gpu/devfreq/17000000.gpu/min_freq", "1300500000\n");
  EXPECT_EQ(conditions().at("idle states"), "off");
  EXPECT_EQ(conditions().at("fan"), "by temperature");
  EXPECT_EQ(conditions().at("DVFS"), "pinned");
  tree.put("sys/devices/system/cpu/cpufreq/policy8/scaling_min_freq", "115200\n");
  EXPECT_EQ(conditions().at("DVFS"), "free");
  for (int cpu = 8; cpu < 12; ++cpu)
    tree.put("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/online", "0\n");
  EXPECT_EQ(conditions().at("DVFS"), "pinned") << "the cores of that range are off";
}

TEST(FixedSettings, AMachineThatShowsNoneHasNoneOfThem) {
  const TempFolder folder;
  trees::write_tree("vm", folder / "tree");
  EXPECT_TRUE(fixed_conditions(read_fixed(folder / "tree")).empty());
}

}  // namespace
}  // namespace flyball
