#include "telemetry/sensors/rapl.h"

#include <gtest/gtest.h>

#include "telemetry/sensors/power_sensors.h"
#include "telemetry/sensors/tree_testing.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// Two sockets as a server shows them; the second with DRAM.
class RaplTest : public testing::Test {
 protected:
  void domain(const std::string& id, const std::string& name, const std::string& microjoules) {
    const std::string folder = "sys/class/powercap/" + id + "/";
    tree_.put(folder + "name", name + "\n");
    tree_.put(folder + "energy_uj", microjoules);
    tree_.put(folder + "max_energy_range_uj", "262143328850\n");
  }
  void two_sockets() {
    domain("intel-rapl:0", "package-0", "1500000\n");
    domain("intel-rapl:0:0", "core", "700000\n");
    domain("intel-rapl:1", "package-1", "2500000\n");
    domain("intel-rapl:1:0", "dram", "300000\n");
    domain("intel-rapl-mmio:0", "package-0", "1500000\n");
    tree_.put("sys/class/powercap/intel-rapl/enabled", "1\n");
  }
  TestTree tree_;
};

TEST_F(RaplTest, FindsEveryDomainOnceAndAddsPackagesOnly) {
  two_sockets();
  const SensorList list = open_rapl(tree_.root());
  ASSERT_EQ(list.sensors.size(), 4u);
  EXPECT_TRUE(list.gaps.empty());
  std::vector<std::string> in_total;
  for (const SensorPtr& sensor : list.sensors) {
    EXPECT_EQ(sensor->info().kind, SensorKind::energy_counter);
    EXPECT_NEAR(sensor->info().wrap, 262143.32885, 1e-6);
    if (sensor->info().total == "package") in_total.push_back(sensor->info().name);
  }
  EXPECT_EQ(in_total, (std::vector<std::string>{"package-0", "package-1"}));
  EXPECT_DOUBLE_EQ(*list.find("package-1")->read(), 2.5);
  EXPECT_DOUBLE_EQ(*list.find("core-0")->read(), 0.7);
  EXPECT_NE(list.find("dram-1"), nullptr);
}

TEST_F(RaplTest, WithoutFilesSaysSo) {
  const SensorList list = open_rapl(tree_.root());
  EXPECT_TRUE(list.sensors.empty());
  ASSERT_EQ(list.gaps.size(), 1u);
  EXPECT_EQ(list.gaps[0].code, Code::unavailable);
  EXPECT_FALSE(list.gaps[0].hint.empty());
  EXPECT_NE(power_gap(list).find("power is not available on this machine: "), std::string::npos);
}

TEST_F(RaplTest, WithoutPermissionTellsTheRemedyOnce) {
  two_sockets();
  for (const auto& entry : fs::recursive_directory_iterator(tree_.root()))
    if (entry.path().filename() == "energy_uj") fs::permissions(entry, fs::perms::none);
  const WithoutPrivileges user;
  if (!user.effective()) GTEST_SKIP() << "cannot drop privileges";
  const SensorList list = open_rapl(tree_.root());
  EXPECT_TRUE(list.sensors.empty());
  ASSERT_EQ(list.gaps.size(), 1u);
  EXPECT_EQ(list.gaps[0].code, Code::permission);
  EXPECT_NE(list.gaps[0].hint.find("chmod a+r"), std::string::npos);
}

TEST_F(RaplTest, OneBadDomainDoesNotTakeTheOthersDown) {
  two_sockets();
  tree_.put("sys/class/powercap/intel-rapl:0/energy_uj", "\x01garbage\n");
  const SensorList list = open_rapl(tree_.root());
  EXPECT_EQ(list.sensors.size(), 3u);
  ASSERT_EQ(list.gaps.size(), 1u);
  EXPECT_NE(list.gaps[0].message.find("'?garbage'"), std::string::npos);
}

TEST_F(RaplTest, AVanishedFileIsAnErrorAndComesBack) {
  two_sockets();
  const SensorPtr sensor = open_rapl(tree_.root()).find("package-0");
  fs::remove(tree_.root() / "sys/class/powercap/intel-rapl:0/energy_uj");
  ASSERT_FALSE(sensor->read().ok());
  EXPECT_EQ(sensor->read().error().code, Code::not_found);
  domain("intel-rapl:0", "package-0", "3000000");
  EXPECT_DOUBLE_EQ(*sensor->read(), 3.0);
}

TEST_F(RaplTest, OtherDriversAreNotMissedWhereThereIsPower) {
  two_sockets();
  const SensorList list = open_power_sensors(tree_.root());
  EXPECT_TRUE(list.gaps.empty());
  EXPECT_EQ(power_gap(list), "");
}

}  // namespace
}  // namespace flyball
