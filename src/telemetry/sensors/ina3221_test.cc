#include "telemetry/sensors/ina3221.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "telemetry/sensors/power_sensors.h"
#include "telemetry/sensors/tree_testing.h"

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Ina3221Test : public testing::Test {
 protected:
  void hwmon(const std::string& chip, int k, const std::string& label, const std::string& mv,
             const std::string& ma) {
    const std::string folder = "sys/bus/i2c/drivers/ina3221/" + chip + "/hwmon/hwmon3/";
    const std::string n = std::to_string(k);
    tree_.put(folder + "in" + n + "_label", label + "\n");
    tree_.put(folder + "in" + n + "_input", mv + "\n");
    tree_.put(folder + "curr" + n + "_input", ma + "\n");
  }
  void iio(const std::string& chip, int k, const std::string& name, const std::string& mw) {
    const std::string folder = "sys/bus/i2c/drivers/ina3221x/" + chip + "/iio:device0/";
    tree_.put(folder + "rail_name_" + std::to_string(k), name + "\n");
    tree_.put(folder + "in_power" + std::to_string(k) + "_input", mw + "\n");
  }
  void board(const std::string& module) {
    tree_.put("proc/device-tree/compatible", "nvidia,kit+" + module + std::string(1, 0));
  }
  void agx_orin() {
    board("p3701-0005");
    hwmon("1-0040", 1, "VDD_GPU_SOC", "19000", "500");
    hwmon("1-0040", 2, "VDD_CPU_CV", "19000", "100");
    hwmon("1-0040", 3, "VIN_SYS_5V0", "5000", "800");
    hwmon("1-0041", 1, "NC", "0", "0");
    hwmon("1-0041", 2, "VDDQ_VDD2_1V8AO", "5000", "140");
    hwmon("1-0041", 3, "NC", "0", "0");
    tree_.put("sys/bus/i2c/drivers/ina3221/1-0040/hwmon/hwmon3/in7_label", "sum of shunt voltages");
    tree_.put("sys/bus/i2c/drivers/ina3221/1-0040/hwmon/hwmon3/update_interval", "2\n");
    tree_.put("sys/bus/i2c/drivers/ina3221/bind", "");
  }
  static std::vector<std::string> in_module(const SensorList& list) {
    std::vector<std::string> names;
    for (const SensorPtr& sensor : list.sensors)
      if (sensor->info().total == "module") names.push_back(sensor->info().name);
    return names;
  }
  TestTree tree_;
};

TEST_F(Ina3221Test, AgxOrinCountsMemoryOnlyOnce) {
  agx_orin();
  const SensorList list = open_ina3221(tree_.root());
  EXPECT_TRUE(list.gaps.empty());
  ASSERT_EQ(list.sensors.size(), 5u);
  EXPECT_THAT(in_module(list), ElementsAre("VDD_GPU_SOC", "VDD_CPU_CV", "VIN_SYS_5V0"));
  EXPECT_NEAR(*list.find("VDD_GPU_SOC")->read(), 9.5, 1e-9);
  EXPECT_NEAR(*list.find("VDDQ_VDD2_1V8AO")->read(), 0.7, 1e-9);
  // What the common monitor reports counts the memory twice, and is a total of its own.
  EXPECT_NEAR(*list.find("all rails")->read(), 9.5 + 1.9 + 4 + 0.7, 1e-9);
  EXPECT_EQ(list.find("all rails")->info().total, "monitor");
  // The driver's figure covers all enabled channels already.
  EXPECT_NEAR(list.find("VDD_CPU_CV")->info().period_s, 0.002, 1e-9);
  EXPECT_EQ(preferred_total(open_power_sensors(tree_.root())), "module");
  EXPECT_EQ(total_where(open_power_sensors(tree_.root()), "cuda:0"), "module");
}

TEST_F(Ina3221Test, NanoOfJetPack4) {
  board("p3448-0000");
  iio("6-0040", 0, "POM_5V_IN", "1919");
  iio("6-0040", 1, "POM_5V_GPU", "0");
  iio("6-0040", 2, "POM_5V_CPU", "166");
  const SensorList list = open_ina3221(tree_.root());
  EXPECT_THAT(in_module(list), ElementsAre("POM_5V_IN"));
  EXPECT_NEAR(*list.find("POM_5V_IN")->read(), 1.919, 1e-9);
}

TEST_F(Ina3221Test, XavierAddsSixRailsOfTwoChips) {
  board("p2888-0004");
  iio("1-0040", 0, "GPU", "1000");
  iio("1-0040", 1, "CPU", "2000");
  iio("1-0040", 2, "SOC", "3000");
  iio("1-0041", 0, "CV", "10");
  iio("1-0041", 1, "VDDRQ", "20");
  iio("1-0041", 2, "SYS5V", "30");
  const SensorList list = open_ina3221(tree_.root());
  EXPECT_EQ(in_module(list).size(), 6u);
  // One bus answers one read at a time: one thread asks it.
  EXPECT_EQ(list.find("GPU")->info().source, list.find("CV")->info().source);
}

TEST_F(Ina3221Test, ChipsOfTwoBusesAreTwoSources) {
  board("p2888-0004");
  iio("1-0040", 0, "GPU", "1000");
  iio("2-0040", 0, "CV", "10");
  const SensorList list = open_ina3221(tree_.root());
  EXPECT_NE(list.find("GPU")->info().source, list.find("CV")->info().source);
}

TEST_F(Ina3221Test, ADeadChannelTakesTheTotalButNotTheOthers) {
  agx_orin();
  hwmon("1-0040", 2, "VDD_CPU_CV", "", "100");
  const SensorList list = open_ina3221(tree_.root());
  EXPECT_EQ(list.sensors.size(), 3u);
  EXPECT_TRUE(in_module(list).empty());
  ASSERT_EQ(list.gaps.size(), 2u);
  EXPECT_THAT(list.gaps[0].message, HasSubstr("VDD_CPU_CV"));
  EXPECT_THAT(list.gaps[1].message, HasSubstr("no module total"));
  // A dead channel that is no part of the total leaves it alone.
  agx_orin();
  hwmon("1-0041", 2, "VDDQ_VDD2_1V8AO", "x", "140");
  EXPECT_EQ(in_module(open_ina3221(tree_.root())).size(), 3u);
  EXPECT_FALSE(open_ina3221(tree_.root()).find("all rails"));
}

// However well its rails are named: which of them feeds which is not known.
TEST_F(Ina3221Test, KnownRailsOfAnUnknownBoardHaveNoTotal) {
  agx_orin();
  tree_.put("proc/device-tree/compatible", "nvidia,p9999-0000");
  const SensorList list = open_ina3221(tree_.root());
  EXPECT_EQ(list.sensors.size(), 4u);
  EXPECT_TRUE(in_module(list).empty());
  EXPECT_EQ(preferred_total(list), "");
  EXPECT_THAT(list.gaps.at(0).message, HasSubstr("no total that is known: VDD_GPU_SOC"));
}

TEST_F(Ina3221Test, ThorTellsMicrowatts) {
  tree_.put("proc/device-tree/model", "NVIDIA Jetson AGX Thor Developer Kit");
  tree_.put("sys/class/hwmon/hwmon2/name", "ina238\n");
  tree_.put("sys/class/hwmon/hwmon2/label", "VDD_GPU\n");
  tree_.put("sys/class/hwmon/hwmon2/power1_input", "12345678\n");
  tree_.put("sys/class/hwmon/hwmon3/name", "nvme\n");
  const SensorList list = open_ina3221(tree_.root());
  ASSERT_EQ(list.sensors.size(), 1u);
  EXPECT_NEAR(*list.find("VDD_GPU")->read(), 12.345678, 1e-9);
  EXPECT_EQ(preferred_total(list), "");
}

TEST_F(Ina3221Test, AnUnknownBoardHasRailsButNoTotal) {
  hwmon("2-0040", 1, "VDD_FUTURE", "5000", "100");
  const SensorList list = open_ina3221(tree_.root());
  EXPECT_EQ(list.sensors.size(), 1u);
  EXPECT_TRUE(in_module(list).empty());
  ASSERT_EQ(list.gaps.size(), 1u);
  EXPECT_THAT(list.gaps[0].message, HasSubstr("VDD_FUTURE"));
}

TEST_F(Ina3221Test, ARailThatDiesLaterIsAnError) {
  agx_orin();
  const SensorList list = open_ina3221(tree_.root());
  std::filesystem::remove_all(tree_.root() / "sys/bus/i2c/drivers/ina3221/1-0041");
  EXPECT_FALSE(list.find("VDDQ_VDD2_1V8AO")->read().ok());
  EXPECT_TRUE(list.find("VDD_CPU_CV")->read().ok());
}

TEST_F(Ina3221Test, APowerThatNoRailCarriesIsAnErrorOnJetPack4And5) {
  agx_orin();
  const SensorList list = open_ina3221(tree_.root());
  hwmon("1-0040", 1, "VDD_GPU_SOC", "19000", "99999999999999999999");
  const auto read = list.find("VDD_GPU_SOC")->read();
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().message,
              HasSubstr("curr1_input it is 1.9e+18 W, and no rail carries more than 8320 W"));
  EXPECT_FALSE(list.find("all rails")->read().ok());
  EXPECT_FALSE(open_ina3221(tree_.root()).find("VDD_GPU_SOC")) << "nor is it there from then on";
  // A current may be said to flow back.
  hwmon("1-0040", 1, "VDD_GPU_SOC", "19000", "-3");
  EXPECT_NEAR(*list.find("VDD_GPU_SOC")->read(), -0.057, 1e-9);
  iio("0-0040", 0, "POM_5V_IN", "-1e300");
  EXPECT_FALSE(open_ina3221(tree_.root()).find("POM_5V_IN"));
}

TEST_F(Ina3221Test, ElsewhereThereIsNone) {
  const SensorList list = open_ina3221(tree_.root());
  ASSERT_EQ(list.gaps.size(), 1u);
  EXPECT_EQ(list.gaps[0].code, Code::unavailable);
  const SensorList power = open_power_sensors(tree_.root());
  ASSERT_EQ(power.gaps.size(), 1u);
  EXPECT_THAT(power.gaps[0].message, HasSubstr("power is not available on this machine: no RAPL"));
  EXPECT_THAT(power.gaps[0].message, HasSubstr("INA3221"));
  EXPECT_EQ(preferred_total(power), "");
}

}  // namespace
}  // namespace flyball
