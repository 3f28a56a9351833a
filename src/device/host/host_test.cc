#include "device/host/host.h"

#include <gtest/gtest.h>

#include "device/host/board_tree_testing.h"
#include "device/modes/mode.h"
#include "device/modes/mode_dispatcher.h"
#include "device/modes/presets.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

class HostTest : public testing::Test {
 protected:
  HostOptions options() const { return tree_.options(); }
  std::string get(int cpu, const std::string& name) const { return tree_.get(cpu, name); }

  BoardTree tree_;
};

TEST_F(HostTest, ListsWhatCanBeSet) {
  const auto host = *open_host(options());
  EXPECT_EQ(host->info().title, "Carmel, 2 cores");
  ASSERT_EQ(host->axes().size(), 2u);
  EXPECT_EQ(host->axes()[0].values, (std::vector<double>{1, 2}));
  EXPECT_EQ(host->axes()[1].values, (std::vector<double>{115.2, 729.6, 1113.6, 2201.6}));
  EXPECT_EQ(host->baseline().values.at("cpu_mhz"), 2201.6);
  EXPECT_TRUE(host->gaps().empty());
}

TEST_F(HostTest, PinsTheClockOfEveryCoreAndPutsItBack) {
  {
    const auto host = *open_host(options());
    ASSERT_TRUE(host->apply({{{"cpu_cores", 1}, {"cpu_mhz", 729.6}}}).ok());
    for (int cpu : {0, 1}) {
      EXPECT_EQ(get(cpu, "scaling_min_freq"), "729600");
      EXPECT_EQ(get(cpu, "scaling_max_freq"), "729600");
    }
    ASSERT_TRUE(host->apply({{{"cpu_mhz", 1113.6}}}).ok());
    EXPECT_EQ(get(1, "scaling_min_freq"), "1113600");
  }
  EXPECT_EQ(get(0, "scaling_min_freq"), "115200");
  EXPECT_EQ(get(1, "scaling_max_freq"), "2201600");
  EXPECT_FALSE(fs::exists(tree_.journal()));
}

// As in a virtual machine: idle states there are, clocks there are none.
TEST_F(HostTest, WithoutAClockThereIsNothingToPin) {
  fs::remove_all(tree_.root() / "sys");
  const fs::path idle = tree_.root() / "sys/devices/system/cpu/cpu0/cpuidle/state1/disable";
  ASSERT_TRUE(write_file(idle, "0\n").ok());
  const auto host = open_host_knobs(options());
  const auto pinned = set_mode(*host, tree_.root(), {.pin_max = true, .stays = false});
  ASSERT_FALSE(pinned.ok());
  EXPECT_EQ(pinned.error().message, "no clock of this machine can be set");
  const Status by_helper = set_caps(*host, tree_.root(), {.kind = HelperRequest::Kind::pin_max});
  EXPECT_EQ(by_helper.error().message, pinned.error().message);
  EXPECT_EQ(set_preset({}, tree_.root(), *host).error().message, pinned.error().message);
  EXPECT_EQ(*read_file(idle), "0\n");
}

TEST_F(HostTest, AModeIsKeptWhereThereIsAClock) {
  {
    const auto host = *open_host(options());
    ASSERT_TRUE(host->can_keep().ok());
    ASSERT_TRUE(host->apply({{{"cpu_mhz", 729.6}}}).ok());
    ASSERT_TRUE(host->keep().ok());
  }
  EXPECT_EQ(get(0, "scaling_max_freq"), "729600");
  EXPECT_FALSE(fs::exists(tree_.journal()));
  fs::remove_all(tree_.root() / "sys");
  const auto without = *open_host(options());
  EXPECT_EQ(without->can_keep().error().code, Code::unavailable);
  EXPECT_EQ(without->keep().error().code, Code::unavailable);
}

TEST_F(HostTest, NamesWhatIsNotLegal) {
  const auto host = *open_host(options());
  EXPECT_NE(host->apply({{{"cpu_mhz", 1000}}}).error().hint.find("729.6"), std::string::npos);
  EXPECT_NE(host->apply({{{"gpu_mhz", 1000}}}).error().message.find("gpu_mhz"), std::string::npos);
  EXPECT_NE(host->apply({{{"cpu_cores", 3}}}).error().message.find("cpu_cores"), std::string::npos);
  EXPECT_EQ(get(0, "scaling_max_freq"), "2201600");
}

TEST_F(HostTest, WithoutCpufreqSaysSo) {
  fs::remove_all(tree_.root() / "sys");
  const auto host = *open_host(options());
  EXPECT_EQ(host->axes().size(), 1u);
  ASSERT_EQ(host->gaps().size(), 1u);
  EXPECT_NE(host->gap_texts()[0].find("cpufreq"), std::string::npos);
}

}  // namespace
}  // namespace flyball
