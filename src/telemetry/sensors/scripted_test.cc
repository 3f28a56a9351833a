#include "telemetry/sensors/scripted.h"

#include <gtest/gtest.h>

#include "base/clock.h"
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

TEST(ScriptedSensor, HoldsEachValueUntilTheNextTime) {
  TestTree tree;
  const auto path = tree.put("script.csv", "time_s,value\n0,10\n0.05,20\n0.1,30\n");
  const SensorPtr sensor = *scripted_sensor(watts(), path);
  const auto scripted = [](int64_t ns) {
    return ns < 50'000'000 ? 10 : ns < 100'000'000 ? 20 : 30;
  };
  const int64_t start = monotonic_ns();
  EXPECT_EQ(*sensor->read(), 10);
  const int64_t started = monotonic_ns();
  // However late this thread is: a value of a moment between just before and just after the read.
  for (const int64_t wait : {20'000'000, 70'000'000, 97'000'000}) {
    sleep_until_ns(start + wait);
    const int64_t earliest = monotonic_ns() - started;
    const double value = *sensor->read();
    EXPECT_GE(value, scripted(earliest)) << wait;
    EXPECT_LE(value, scripted(monotonic_ns() - start)) << wait;
  }
  sleep_until_ns(start + 150'000'000);
  EXPECT_EQ(*sensor->read(), 30);
}

TEST(ScriptedSensor, RefusesBadScripts) {
  TestTree tree;
  const auto refused = [&](const char* text) {
    const auto sensor = scripted_sensor(watts(), tree.put("s.csv", text));
    return sensor.ok() ? std::string("accepted") : sensor.error().message;
  };
  EXPECT_NE(refused("a,b\n1,2\n").find("s.csv"), std::string::npos);
  EXPECT_NE(refused("time_s,value\n").find("no values"), std::string::npos);
  EXPECT_NE(refused("time_s,value\n1,2\n1,3\n").find(":3"), std::string::npos);
  EXPECT_NE(refused("time_s,value\n1,many\n").find(":2"), std::string::npos);
  EXPECT_FALSE(scripted_sensor(watts(), tree.root() / "none").ok());
}

}  // namespace
}  // namespace flyball
