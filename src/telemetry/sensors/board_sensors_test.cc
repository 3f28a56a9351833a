#include "telemetry/sensors/board_sensors.h"

#include <gtest/gtest.h>

#include "telemetry/sensors/tree_testing.h"

namespace flyball {
namespace {

TEST(BoardSensors, OfAJetson) {
  const TestTree tree;
  tree.put("proc/device-tree/compatible", "nvidia,p3737-0000+p3701-0005");
  tree.put("sys/devices/platform/gpu.0/load", "330\n");
  tree.put("sys/class/devfreq/17000000.gpu/cur_freq", "1020000000\n");
  tree.put("sys/kernel/debug/bpmp/debug/clk/emc/rate", "2133000000\n");
  tree.put("sys/class/hwmon/hwmon2/name", "pwmfan\n");
  tree.put("sys/class/hwmon/hwmon2/pwm1", "88\n");
  const SensorList list = open_board_sensors(tree.root());
  EXPECT_NEAR(*list.find("gpu_busy")->read(), 33, 1e-9);
  EXPECT_NEAR(*list.find("gpu_mhz")->read(), 1020, 1e-9);
  EXPECT_NEAR(*list.find("emc_mhz")->read(), 2133, 1e-9);
  EXPECT_EQ(*list.find("fan_pwm")->read(), 88);
  EXPECT_EQ(open_board_gpu(tree.root()).sensors.size(), 2u);  // load and clock alone
  tree.put("sys/devices/platform/gpu.0/load", "busy\n");      // one that is dead degrades alone
  EXPECT_EQ(open_board_sensors(tree.root()).sensors.size(), 3u);
}

TEST(BoardSensors, NoneElsewhere) {
  const TestTree tree;
  EXPECT_TRUE(open_board_sensors(tree.root()).sensors.empty());
}

}  // namespace
}  // namespace flyball
