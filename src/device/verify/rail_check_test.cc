#include "device/verify/rail_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/os/temp_folder.h"
#include "device/host/board_trees_testing.h"
#include "telemetry/sensors/power_sensors.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RailCheckTest : public testing::Test {
 protected:
  void SetUp() override { trees::write_tree("orin_nano_jp6_super", root()); }
  fs::path root() const { return fs::canonical(folder_.path()) / "tree"; }
  fs::path tool(const std::string& name, const std::string& script) {
    const fs::path file = root() / "usr/bin" / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "#!/bin/sh\n" << script;
    fs::permissions(file, fs::perms::owner_all);
    return file;
  }
  /// Prints a line of tegrastats ten times a second, for ever.
  fs::path tegrastats(const std::string& rails) {
    return tool("tegrastats",
                "while :; do echo '03-01-2026 12:30:05 RAM 1/2MB (lfb 3x4MB) CPU "
                "[1%@204] " +
                    rails + "'; sleep 0.1; done\n");
  }

  TempFolder folder_;
};

TEST_F(RailCheckTest, ReadsEachRailAndItsSpread) {
  const auto rails = watch_rails(open_power_sensors(root()), 0.3, nullptr);
  ASSERT_EQ(rails.size(), 3u);
  EXPECT_EQ(rails[0].name, "VDD_IN");
  EXPECT_EQ(rails[0].total, "module");
  EXPECT_DOUBLE_EQ(rails[0].power_w, 4.7);
  EXPECT_EQ(rails[0].least_w, rails[0].most_w);
  EXPECT_GE(rails[0].readings, 2u);
  EXPECT_EQ(rails[0].changes, 0u);
  EXPECT_EQ(rail_fault(rails[0]), "");
}

TEST_F(RailCheckTest, FiguresThatNoBoardDrawsAreFaults) {
  EXPECT_THAT(rail_fault({.name = "A", .total = "", .power_w = -3, .least_w = -3, .most_w = -3}),
              HasSubstr("below zero"));
  EXPECT_THAT(rail_fault({.name = "A", .total = "", .power_w = 9, .least_w = 9, .most_w = 4700}),
              HasSubstr("more than any"));
}

TEST_F(RailCheckTest, ComparesRailByRailWithTegrastats) {
  const fs::path program =
      tegrastats("VDD_IN 4600mW/4600mW VDD_CPU_GPU_CV 900mW/900mW VDD_SOC 1400mW/1400mW");
  EXPECT_EQ(*find_board_tool(root(), "tegrastats"), program);
  const auto compared = compare_with_tegrastats(open_power_sensors(root()), program, 0.8, nullptr);
  ASSERT_TRUE(compared.ok()) << compared.error().message;
  ASSERT_EQ(compared->rails.size(), 3u);
  EXPECT_DOUBLE_EQ(*compared->rails[0].tegrastats_w, 4.6);
  EXPECT_NEAR(*compared->rails[0].difference_pct, 2.174, 0.001);
  EXPECT_FALSE(differs(compared->rails[0]));
  EXPECT_TRUE(differs(compared->rails[1]));  // 0.65 W here
  EXPECT_FALSE(differs(compared->rails[2]));
  EXPECT_THAT(compared->log.module_rails, ElementsAre("VDD_IN"));
}

TEST_F(RailCheckTest, RailsThatOnlyTegrastatsHasAreNamed) {
  const fs::path program = tegrastats("VDD_IN 4700mW/4700mW VDD_NEW 100mW/100mW");
  const auto compared = compare_with_tegrastats(open_power_sensors(root()), program, 0.5, nullptr);
  ASSERT_TRUE(compared.ok()) << compared.error().message;
  EXPECT_THAT(compared->only_there, ElementsAre("VDD_NEW"));
  EXPECT_FALSE(compared->rails[1].tegrastats_w);
}

TEST_F(RailCheckTest, AToolThatPrintsSomethingElseIsRefused) {
  const fs::path program = tool("tegrastats", "while :; do echo must be root; sleep 0.1; done\n");
  const auto compared = compare_with_tegrastats(open_power_sensors(root()), program, 0.4, nullptr);
  ASSERT_FALSE(compared.ok());
  EXPECT_THAT(compared.error().message, HasSubstr("tegrastats"));
}

TEST_F(RailCheckTest, AToolThatOthersMayWriteIsNotRun) {
  EXPECT_EQ(find_board_tool(root(), "tegrastats").error().code, Code::not_found);
  const fs::path program = tegrastats("");
  fs::permissions(program, fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(find_board_tool(root(), "tegrastats").error().code, Code::permission);
}

TEST(NvpmodelQuery, NamesAndNumbersThePreset) {
  const PresetInForce orin = parse_nvpmodel_query("NV Power Mode: MAXN\n0\n");
  EXPECT_EQ(orin.name, "MAXN");
  EXPECT_EQ(orin.id, 0);
  const PresetInForce xavier =
      parse_nvpmodel_query("NV Fan Mode:quiet\nNV Power Mode: MODE_15W\n2\n");
  EXPECT_EQ(xavier.name, "MODE_15W");
  EXPECT_EQ(xavier.id, 2);
  EXPECT_FALSE(parse_nvpmodel_query("NVPM ERROR: no permission\n").id);
  EXPECT_EQ(parse_nvpmodel_query("").name, "");
  EXPECT_FALSE(parse_nvpmodel_query("NV Power Mode: X\n99999999999999999999\n").id);
}

}  // namespace
}  // namespace flyball
