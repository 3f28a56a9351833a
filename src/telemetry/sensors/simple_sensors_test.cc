#include "telemetry/sensors/simple_sensors.h"

#include <gtest/gtest.h>

#include "telemetry/sensors/tree_testing.h"

namespace flyball {
namespace {

SensorInfo watts() {
  return {.name = "rail", .unit = "W", .kind = SensorKind::power};
}

TEST(FileSensor, ReadsTheFileAnewAndScales) {
  TestTree tree;
  const auto path = tree.put("power", "1500\n");
  const SensorPtr sensor = file_sensor(watts(), path, 1e-3);
  EXPECT_DOUBLE_EQ(*sensor->read(), 1.5);
  tree.put("power", "2500");
  EXPECT_DOUBLE_EQ(*sensor->read(), 2.5);
}

TEST(FileSensor, NamesWhatStandsThereInstead) {
  TestTree tree;
  for (const char* text : {"", "\n", "12 W", "nan", "inf", "1e999", "0x10"}) {
    const auto value = file_sensor(watts(), tree.put("power", text))->read();
    ASSERT_FALSE(value.ok()) << text;
    EXPECT_EQ(value.error().code, Code::corrupt);
    EXPECT_NE(value.error().message.find("power"), std::string::npos);
  }
  const auto folder = file_sensor(watts(), tree.root())->read();
  EXPECT_FALSE(folder.ok());
}

}  // namespace
}  // namespace flyball
