#include "telemetry/sensors/detail_sensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "telemetry/sensors/board_sensors.h"
#include "telemetry/sensors/power_sensors.h"
#include "telemetry/sensors/system_sensors.h"
#include "telemetry/sensors/tree_testing.h"

namespace flyball {
namespace {

using testing::IsSupersetOf;

std::vector<std::string> names(const SensorList& list) {
  std::vector<std::string> all;
  for (const SensorPtr& sensor : list.sensors) all.push_back(sensor->info().name);
  return all;
}

TEST(DetailSensors, ReadARecordedMachine) {
  TestTree tree;
  tree.put("proc/stat", "cpu  9 0 0 0 0 0 0 0\ncpu0 100 0 0 800 0 0 0 0\ncpu1 300 0 0 1 0 0 0 0\n");
  tree.put("proc/meminfo", "MemTotal: 9 kB\nSwapTotal: 100 kB\nSwapFree: 60 kB\n");
  tree.put("proc/vmstat", "pgpgin 1\npswpin 2\npswpout 3\n");
  tree.put("proc/pressure/io", "some avg10=0 avg60=0 avg300=0 total=2500000\n");
  tree.put("proc/diskstats", "8 0 sda 5 0 16 0 7 0 32 0 0 1500 0\n");
  tree.put("sys/block/sda/size", "1");
  const SensorList list = open_detail_sensors(tree.root());
  EXPECT_THAT(names(list),
              testing::ElementsAre("cpu0_time", "cpu1_time", "swap_used", "swap_in", "swap_out",
                                   "io_pressure", "disk_read:sda", "disk_written:sda",
                                   "disk_reads:sda", "disk_writes:sda", "disk_busy:sda"));
  const auto tick = static_cast<double>(::sysconf(_SC_CLK_TCK));
  EXPECT_NEAR(*list.find("cpu1_time")->read(), 300 / tick, 1e-9);
  EXPECT_EQ(*list.find("swap_used")->read(), 40 * 1024);
  EXPECT_EQ(*list.find("swap_out")->read(), 3.0 * static_cast<double>(::sysconf(_SC_PAGESIZE)));
  EXPECT_NEAR(*list.find("io_pressure")->read(), 2.5, 1e-9);
  EXPECT_EQ(*list.find("disk_read:sda")->read(), 16 * 512);
  EXPECT_EQ(*list.find("disk_writes:sda")->read(), 7);
  EXPECT_NEAR(*list.find("disk_busy:sda")->read(), 1.5, 1e-9);
  tree.put("proc/diskstats", "8 16 sdb 5 0 16 0 7 0 32 0 0 1500 0\n");
  EXPECT_FALSE(list.find("disk_read:sda")->read().ok());
}

TEST(DetailSensors, CoresBehindAnOfflineOneAreSeen) {
  TestTree tree;
  tree.put("proc/stat",
           "cpu  9 0 0 0 0 0 0 0\ncpu0 100 0 0 800 0 0 0 0\n"
           "cpu2 300 0 0 1 0 0 0 0\ncpu11 500 0 0 1 0 0 0 0\nintr 8 0\n");
  const SensorList list = open_detail_sensors(tree.root());
  EXPECT_THAT(names(list), testing::ElementsAre("cpu0_time", "cpu2_time", "cpu11_time"));
  const auto tick = static_cast<double>(::sysconf(_SC_CLK_TCK));
  EXPECT_NEAR(*list.find("cpu11_time")->read(), 500 / tick, 1e-9);
}

// Calls of read() and the like that this process has made so far.
long reads_so_far() {
  std::ifstream io("/proc/self/io");
  std::string name;
  long value = 0;
  while (io >> name >> value)
    if (name == "syscr:") return value;
  return 0;
}

// Those that `body` made.
template <class Body>
long reads_of(const Body& body) {
  const long first = reads_so_far(), before = reads_so_far();
  body();
  return reads_so_far() - before - (before - first);
}

TEST(DetailSensors, ReadTheirFileOncePerTurn) {
  TestTree tree;
  std::string stat;
  for (int core = 0; core < 16; ++core) stat += "cpu" + std::to_string(core) + " 1 0 0 8 0 0 0 0\n";
  tree.put("proc/stat", stat);
  const SensorList list = open_detail_sensors(tree.root());
  ASSERT_EQ(list.sensors.size(), 16u);
  const auto turn = [&] {
    for (const SensorPtr& sensor : list.sensors) EXPECT_TRUE(sensor->read().ok());
  };
  turn();
  // A turn that was held up for a millisecond reads again.
  long fewest = 99;
  for (int i = 0; i < 50 && fewest > 2; ++i) fewest = std::min(fewest, reads_of(turn));
  EXPECT_EQ(fewest, 2) << "the text, and its end";
  // What one sensor has had is read again when it asks again.
  tree.put("proc/stat", "cpu0 777 0 0 8 0 0 0 0\n");
  EXPECT_GT(*list.find("cpu0_time")->read(), 1);
}

TEST(DetailSensors, ReadClocksPerPolicy) {
  TestTree tree;
  EXPECT_EQ(open_clock_sensors(tree.root()).gaps.size(), 1u);
  tree.put("sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq", "2201600\n");
  tree.put("sys/devices/system/cpu/cpufreq/policy4/scaling_cur_freq", "729600\n");
  tree.put("sys/devices/system/cpu/cpufreq/policy8/scaling_cur_freq", "<unknown>\n");
  const SensorList list = open_clock_sensors(tree.root());
  EXPECT_THAT(names(list), testing::ElementsAre("cpu0_mhz", "cpu4_mhz"));
  EXPECT_NEAR(*list.find("cpu4_mhz")->read(), 729.6, 1e-9);
}

TEST(DetailSensors, ReadTemperaturesThatAreOn) {
  TestTree tree;
  tree.put("sys/class/thermal/thermal_zone0/type", "CPU-therm\n");
  tree.put("sys/class/thermal/thermal_zone0/temp", "53968\n");
  tree.put("sys/class/thermal/thermal_zone1/type", "GPU-therm\n");
  tree.put("sys/class/thermal/thermal_zone1/temp", "-256000\n");
  tree.put("sys/class/hwmon/hwmon0/name", "coretemp\n");
  tree.put("sys/class/hwmon/hwmon0/temp1_input", "61000\n");
  tree.put("sys/class/hwmon/hwmon0/temp1_label", "Core 0\n");
  tree.put("sys/class/hwmon/hwmon1/name", "coretemp\n");
  tree.put("sys/class/hwmon/hwmon1/temp1_input", "62000\n");
  tree.put("sys/class/hwmon/hwmon1/temp1_label", "Core 0\n");
  const std::string core0 = "sys/devices/system/cpu/cpu0", core1 = "sys/devices/system/cpu/cpu1";
  const std::string count = "/thermal_throttle/core_throttle_count";
  tree.put(core0 + count, "4\n");
  tree.put(core1 + count, "5\n");
  tree.put("sys/class/hwmon/hwmon1/oc1_event_cnt", "1\n");
  const SensorList list = open_thermal_sensors(tree.root());
  EXPECT_THAT(names(list),
              testing::ElementsAre("temp:CPU-therm", "temp:coretemp:Core 0",
                                   "temp:coretemp:Core 0#2", "cpu_throttle", "over_current"));
  EXPECT_NEAR(*list.find("temp:CPU-therm")->read(), 53.968, 1e-9);
  EXPECT_EQ(*list.find("cpu_throttle")->read(), 9);
  EXPECT_EQ(*list.find("over_current")->read(), 1);
  // A core that is off is not slowed down; of none that reads nothing is known.
  std::filesystem::remove(tree.root() / (core1 + count));
  EXPECT_EQ(*list.find("cpu_throttle")->read(), 9);
  std::filesystem::remove(tree.root() / (core0 + count));
  EXPECT_FALSE(list.find("cpu_throttle")->read().ok());
}

SensorList all_sensors(const std::filesystem::path& root = "/") {
  SensorList list = open_power_sensors(root);
  for (const auto open : {open_system_sensors, open_detail_sensors, open_clock_sensors,
                          open_board_sensors, open_thermal_sensors})
    list.append(open(root));
  return list;
}

TEST(DetailSensors, NamesOfThisMachineAreUnique) {
  const SensorList list = all_sensors();
  auto all = names(list);
  EXPECT_THAT(all, IsSupersetOf({"cpu_time", "memory_used", "cpu0_time"}));
  std::ranges::sort(all);
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
  EXPECT_TRUE(all_sensors("/nowhere-at-all").sensors.empty());
}

}  // namespace
}  // namespace flyball
