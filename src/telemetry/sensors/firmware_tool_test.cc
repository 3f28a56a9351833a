#include "telemetry/sensors/firmware_tool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/os/tool_process.h"
#include "telemetry/sensors/power_sensors.h"
#include "telemetry/sensors/tree_testing.h"

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class FirmwareToolTest : public testing::Test {
 protected:
  void SetUp() override { tree_.put("proc/device-tree/compatible", "raspberrypi,5-model-b"); }
  void tool(const std::string& script) {
    const auto path = tree_.put("usr/bin/vcgencmd", "#!/bin/sh\n" + script);
    std::filesystem::permissions(path, std::filesystem::perms(0755));
  }
  TestTree tree_;
};

const char* const answers =
    "case $1 in pmic_read_adc) echo ' 3V7_WL_SW_A current(0)=0.5A'\n"
    "echo '3V7_WL_SW_V volt(8)=4V'; echo 'VDD_CORE_A current(7)=2.0A'\n"
    "echo 'VDD_CORE_V volt(15)=0.75V'; echo 'EXT5V_V volt(24)=5.1V'; echo 'BATT_V volt(25)=0V';;\n"
    "get_throttled) echo throttled=0x50005;; esac\n";

TEST_F(FirmwareToolTest, AddsUpTheRailsThatHaveBoth) {
  tool(answers);
  const SensorList list = open_power_sensors(tree_.root());
  ASSERT_TRUE(list.find("VDD_CORE")) << (list.gaps.empty() ? "" : list.gaps[0].message);
  EXPECT_NEAR(*list.find("VDD_CORE")->read(), 1.5, 1e-9);
  EXPECT_NEAR(*list.find("3V7_WL_SW")->read(), 2, 1e-9);
  EXPECT_NEAR(*list.find("all rails of the PMIC")->read(), 3.5, 1e-9);
  EXPECT_NEAR(*list.find("EXT5V_V")->read(), 5.1, 1e-9);
  EXPECT_EQ(preferred_total(list), "pmic");
  EXPECT_EQ(*list.find("firmware_throttled")->read(), 0x50005);
}

TEST_F(FirmwareToolTest, SaysWhyThereIsNone) {
  const auto gap = [&] {
    const SensorList list = open_firmware_tool(tree_.root());
    EXPECT_THAT(list.sensors, IsEmpty());
    return list.gaps.empty() ? "" : list.gaps[0].message;
  };
  EXPECT_THAT(gap(), HasSubstr("is not installed"));
  tool("exit 1\n");
  EXPECT_THAT(gap(), HasSubstr("pmic_read_adc failed"));
  tool("echo hello\n");
  EXPECT_THAT(gap(), HasSubstr("lists no rails"));
  tool(answers);
  std::filesystem::permissions(tree_.root() / "usr/bin/vcgencmd", std::filesystem::perms(0777));
  EXPECT_THAT(gap(), HasSubstr("other users can have written it"));
  tree_.put("proc/device-tree/compatible", "acme,board");
  EXPECT_EQ(gap(), "");
}

TEST_F(FirmwareToolTest, AToolThatHangsIsEnded) {
  tool("exec sleep 30\n");
  const auto late = run_tool(tree_.root() / "usr/bin/vcgencmd", {"x"}, 0.2);
  ASSERT_FALSE(late.ok());
  EXPECT_THAT(late.error().message, HasSubstr("took longer than 0.2 s"));
}

TEST_F(FirmwareToolTest, AToolThatClosesItsOutputAndStaysIsEnded) {
  tool("exec 1>&-\nexec sleep 30\n");
  const auto late = run_tool(tree_.root() / "usr/bin/vcgencmd", {"x"}, 0.2);
  ASSERT_FALSE(late.ok());
  EXPECT_THAT(late.error().message, HasSubstr("took longer than 0.2 s"));
}

// A bundle of somebody's board is unpacked by its reader, whose files they then are.
TEST_F(FirmwareToolTest, NothingOfATreeIsRun) {
  tool("touch " + (tree_.root() / "ran").string() + "\n");
  ::unsetenv("FLYBALL_TREE_PROGRAMS");
  const SensorList list = open_firmware_tool(tree_.root());
  ::setenv("FLYBALL_TREE_PROGRAMS", "1", 1);  // as tests/support/main.cc has it
  EXPECT_TRUE(list.sensors.empty());
  ASSERT_EQ(list.gaps.size(), 1u);
  EXPECT_THAT(list.gaps[0].message, HasSubstr("is of a tree"));
  EXPECT_FALSE(std::filesystem::exists(tree_.root() / "ran"));
}

TEST(FirmwareTool, ReadsItsLines) {
  EXPECT_THAT(parse_pmic("A\nX_A current(1)=nanA\nX_A current(1)=1\n =A\nX_A =1.5A\n").size(), 1u);
  EXPECT_EQ(parse_throttled("throttled=0x0\n"), 0u);
  EXPECT_FALSE(parse_throttled("throttled=0x"));
  EXPECT_FALSE(parse_throttled("throttled=0x1g"));
  EXPECT_FALSE(parse_throttled("error"));
  EXPECT_THAT(firmware_throttle_reasons(0xd0005), ElementsAre("under-voltage", "throttled"));
}

}  // namespace
}  // namespace flyball
