#include "recording/frame_record.h"

#include <gtest/gtest.h>

#include <map>

#include "base/os/temp_folder.h"
#include "monitor/frame_testing.h"
#include "recording/record_json.h"

namespace flyball {
namespace {

struct Shown {
  TempFolder folder{};
  FrameRecordOptions options{.file = folder.path() / "shown.flyrec",
                             .command = "flyball monitor",
                             .device = "host",
                             .interval_s = 1,
                             .most_bytes = uint64_t{64} << 20};
  BoardFrame frame = full_frame();

  RecordReader read() {
    auto reader = RecordReader::open(options.file);
    EXPECT_TRUE(reader.ok()) << reader.error().message;
    return *std::move(reader);
  }
};

TEST(FrameRecord, HoldsWhatWasShown) {
  Shown shown;
  auto record = record_frames(shown.frame, shown.options);
  ASSERT_TRUE(record.ok()) << record.error().message;
  const double begin_s = shown.frame.at_s;
  for (int second = 1; second <= 10; ++second) {
    shown.frame.at_s = begin_s + second;
    ASSERT_TRUE((*record)->add(shown.frame).ok());
  }
  ASSERT_TRUE((*record)->finish().ok());

  RecordReader reader = shown.read();
  const auto samples = reader.samples(0, reader.end() + 1);
  ASSERT_TRUE(samples.ok()) << samples.error().message;
  ASSERT_FALSE(shown.frame.rails.empty());
  const RailFrame& rail = shown.frame.rails.front();
  ASSERT_EQ(reader.channels().front().info.name, rail.name);
  ASSERT_EQ(samples->front().size(), 11u);
  EXPECT_NEAR(samples->front().back().value, *rail.power_w, 1e-3);
  EXPECT_EQ(samples->front().back().time_ns, 10'000'000'000);
  EXPECT_EQ(reader.stopped(), "key r");
}

// One thing has one name, whoever recorded it.
TEST(FrameRecord, ChannelsAreCalledAsThoseOfSensors) {
  Shown shown;
  shown.frame.mode.caps.values = {{axis::cpu_mhz, 1344}, {axis::cpu_cores, 4}};
  auto record = record_frames(shown.frame, shown.options);
  ASSERT_TRUE(record.ok()) << record.error().message;
  ASSERT_TRUE((*record)->finish().ok());
  RecordReader reader = shown.read();
  std::map<std::string, std::string> units;
  for (const RecordChannel& channel : reader.channels())
    units[channel.info.name] = channel.info.unit;
  EXPECT_EQ(units.at("cpu0_mhz"), "MHz");
  EXPECT_EQ(units.at("cpu_mhz_cap"), "MHz");
  EXPECT_EQ(units.at("cpu_cores_cap"), "1");
  EXPECT_EQ(units.at("cpu0_busy"), "1");
  EXPECT_EQ(units.at("memory_used"), "B");
  EXPECT_TRUE(units.contains("throttled"));
}

TEST(FrameRecord, LeavesOutWhatWasNotThereAtFirstAndSkipsWhatDoesNotRead) {
  Shown shown;
  auto record = record_frames(shown.frame, shown.options);
  ASSERT_TRUE(record.ok()) << record.error().message;
  const std::string first = shown.frame.rails.front().name;
  shown.frame.at_s += 1;
  shown.frame.rails.front().power_w.reset();
  shown.frame.rails.push_back({.name = "late", .power_w = 3});
  ASSERT_TRUE((*record)->add(shown.frame).ok());
  ASSERT_TRUE((*record)->finish().ok());

  RecordReader reader = shown.read();
  for (const RecordChannel& channel : reader.channels()) EXPECT_NE(channel.info.name, "late");
  const auto samples = reader.samples(0, reader.end() + 1);
  ASSERT_TRUE(samples.ok());
  EXPECT_EQ(samples->front().size(), 1u);
}

TEST(FrameRecord, IsNotWrittenOverAnotherFile) {
  Shown shown;
  auto record = record_frames(shown.frame, shown.options);
  ASSERT_TRUE(record.ok());
  EXPECT_FALSE(record_frames(shown.frame, shown.options).ok());
}

}  // namespace
}  // namespace flyball
