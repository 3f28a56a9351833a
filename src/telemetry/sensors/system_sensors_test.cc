#include "telemetry/sensors/system_sensors.h"

#include <gtest/gtest.h>

#include "telemetry/sensors/tree_testing.h"

namespace flyball {
namespace {

TEST(SystemSensors, ReadARecordedMachine) {
  TestTree tree;
  tree.put("proc/stat", "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n");
  tree.put("proc/meminfo", "MemTotal: 4000 kB\nMemFree: 10 kB\nMemAvailable: 3000 kB\n");
  tree.put("proc/diskstats",
           "7 0 loop0 9 9 9 9 9 9 9 9 9 9 9\n8 0 sda 1 0 16 0 1 0 32 0 0 0 0\n"
           "8 16 sdb 1 0 4 0 1 0 8 0 0 0 0\n");
  for (const char* disk : {"loop0", "sda", "sdb", "zram0", "dm-0"})
    tree.put(std::string("sys/block/") + disk + "/size", "1");
  EXPECT_EQ(disk_names(tree.root()), (std::vector<std::string>{"sda", "sdb"}));
  const SensorList list = open_system_sensors(tree.root());
  EXPECT_TRUE(list.gaps.empty());
  EXPECT_NEAR(*list.find("cpu_time")->read(), 200.0 / static_cast<double>(::sysconf(_SC_CLK_TCK)),
              1e-9);
  EXPECT_EQ(*list.find("memory_used")->read(), 1000.0 * 1024);
  EXPECT_EQ(*list.find("disk_read")->read(), 20.0 * 512);
  EXPECT_EQ(*list.find("disk_written")->read(), 40.0 * 512);
  EXPECT_EQ(memory_bytes(tree.root()), 4000.0 * 1024);

  tree.put("proc/stat", "nonsense\n");
  const auto broken = list.find("cpu_time")->read();
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().code, Code::corrupt);
}

TEST(SystemSensors, NameWhatIsMissing) {
  TestTree tree;
  const SensorList list = open_system_sensors(tree.root());
  EXPECT_TRUE(list.sensors.empty());
  ASSERT_EQ(list.gaps.size(), 2u);
  EXPECT_NE(list.gaps[0].message.find("cpu_time"), std::string::npos);
  EXPECT_NE(list.gaps[1].message.find("memory_used"), std::string::npos);
}

TEST(SystemSensors, ReadThisMachine) {
  const SensorList list = open_system_sensors();
  for (const char* name : {"cpu_time", "memory_used"}) {
    ASSERT_NE(list.find(name), nullptr) << name;
    EXPECT_GT(*list.find(name)->read(), 0) << name;
  }
  EXPECT_GT(memory_bytes(), *list.find("memory_used")->read());
}

}  // namespace
}  // namespace flyball
