#include "monitor/frame_reader.h"

#include <gmock/gmock.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/files.h"
#include "base/json.h"
#include "base/json_line.h"
#include "base/os/temp_folder.h"
#include "device/host/board_trees_testing.h"
#include "monitor/frame_text.h"
#include "twin/board.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::DoubleNear;
using testing::Field;
using testing::HasSubstr;
using testing::Optional;

class FrameReaderTest : public testing::Test {
 protected:
  FrameReaderTest() { ::setenv("FLYBALL_STATE", (folder_ / "state").c_str(), 1); }
  ~FrameReaderTest() override { ::unsetenv("FLYBALL_STATE"); }

  fs::path tree(const std::string& kind) {
    const fs::path root = fs::canonical(folder_.path()) / kind;
    trees::write_tree(kind, root);
    return root;
  }
  static BoardFrame frame_of(FrameReader& reader) {
    const auto frame = reader.read();
    EXPECT_TRUE(frame.ok() && *frame) << (frame.ok() ? "" : frame.error().message);
    return frame.ok() && *frame ? **frame : BoardFrame();
  }
  static std::unique_ptr<FrameReader> open(const std::string& device, const fs::path& root = "/") {
    FrameOptions options{.interval = {1}};
    options.root = root;
    auto reader = open_frames(device, options);
    EXPECT_TRUE(reader.ok()) << (reader.ok() ? "" : reader.error().message);
    return reader.ok() ? *std::move(reader) : nullptr;
  }

  TempFolder folder_;
};

TEST_F(FrameReaderTest, ATreeShowsTheModulesRailsAndItsTotal) {
  const BoardFrame frame = frame_of(*open("", tree("orin_nano_jp5")));
  EXPECT_EQ(frame.board_id, "orin_nano");
  EXPECT_EQ(frame.total, "module");
  EXPECT_THAT(frame.power_w, Optional(DoubleNear(4.7, 1e-9)));
  ASSERT_EQ(frame.rails.size(), 3u);
  EXPECT_TRUE(frame.rails[0].in_total);
  EXPECT_FALSE(frame.rails[1].in_total) << "it is part of what VDD_IN feeds";
  EXPECT_EQ(frame.mode.preset, "15W");
  EXPECT_THAT(frame.clocks, Contains(Field(&ClockFrame::name, "gpu")));
  EXPECT_THAT(frame.gpu_busy, Optional(DoubleNear(0.33, 1e-9)));
  EXPECT_FALSE(frame.simulated);
}

TEST_F(FrameReaderTest, AnotherPresetIsSeenWithinASecond) {
  const fs::path root = tree("orin_nano_jp5");
  const auto reader = open("", root);
  EXPECT_EQ(frame_of(*reader).mode.preset, "15W");
  for (const char* policy : {"policy0", "policy4"})
    ASSERT_TRUE(write_file(root / "sys/devices/system/cpu/cpufreq" / policy / "scaling_max_freq",
                           "729600\n")
                    .ok());
  ::usleep(1'000'000);
  const BoardFrame frame = frame_of(*reader);
  EXPECT_EQ(frame.mode.preset, "");
  EXPECT_EQ(frame.mode.caps.values.at("cpu_mhz"), 729.6);
  EXPECT_THAT(mode_text(frame), HasSubstr("cpu_mhz 729.6"));
}

TEST_F(FrameReaderTest, ARailThatGoesIsAGapAndLeavesNoTotal) {
  const fs::path root = tree("orin_nano_jp5");
  const auto reader = open("", root);
  ASSERT_TRUE(frame_of(*reader).power_w);
  for (const auto& entry : fs::recursive_directory_iterator(root))
    if (entry.path().filename() == "curr1_input") fs::remove(entry.path());
  const BoardFrame frame = frame_of(*reader);
  EXPECT_FALSE(frame.power_w);
  EXPECT_EQ(frame.total, "module");
  EXPECT_THAT(frame.gaps, Contains(Field(&Error::message, HasSubstr("VDD_IN"))));
}

TEST_F(FrameReaderTest, ThrottlingIsNotKnownOnceItsSensorFails) {
  const fs::path root = tree("orin_nano_jp5");
  const fs::path hwmon = root / "sys/class/hwmon/hwmon9";
  fs::create_directories(hwmon);
  const auto count = [&](const char* events) {
    ASSERT_TRUE(write_file(hwmon / "oc1_event_cnt", events).ok());
  };
  count("4\n");
  const auto reader = open("", root);
  EXPECT_THAT(frame_of(*reader).throttled, Optional(testing::IsEmpty()));
  count("5\n");
  EXPECT_THAT(frame_of(*reader).throttled, Optional(testing::ElementsAre("over-current")));
  fs::remove(hwmon / "oc1_event_cnt");
  EXPECT_EQ(frame_of(*reader).throttled, std::nullopt);
}

TEST_F(FrameReaderTest, EveryTreeHasFramesThatAreReadAgain) {
  for (const trees::Board& board : trees::boards()) {
    const auto reader = open("", tree(board.kind));
    ASSERT_TRUE(reader) << board.kind;
    for (int i = 0; i < 2; ++i) {
      const std::string line = json_line(to_json(frame_of(*reader)));
      const auto again = parse_frame(line);
      ASSERT_TRUE(again.ok()) << board.kind << ": " << again.error().message;
      EXPECT_EQ(json_line(to_json(*again)), line);
    }
  }
}

TEST_F(FrameReaderTest, ThisMachineTellsItsCoresAndItself) {
  const auto reader = open("");
  frame_of(*reader);
  ::usleep(300'000);
  const BoardFrame frame = frame_of(*reader);
  EXPECT_FALSE(frame.cores.empty());
  ASSERT_TRUE(frame.own_cores);
  EXPECT_LT(*frame.own_cores, 0.5);
  EXPECT_GT(frame.memory.total_bytes.value_or(0), 1e8);
  EXPECT_FALSE(frame.processes.empty());
  EXPECT_EQ(frame.time.size(), 20u);
}

TEST_F(FrameReaderTest, ATwinWorksRestsAndIsSimulated) {
  const auto reader = open("twin:orin_nano");
  double least = 1e9, most = 0, joules = 0;
  for (int i = 0; i < 45; ++i) {
    const BoardFrame frame = frame_of(*reader);
    EXPECT_TRUE(frame.simulated);
    EXPECT_EQ(frame.time, "");
    EXPECT_NEAR(frame.at_s, i + 1, 1e-6);
    ASSERT_TRUE(frame.power_w);
    least = std::min(least, *frame.power_w);
    most = std::max(most, *frame.power_w);
    joules += *frame.power_w;
    EXPECT_NEAR(frame.energy_j, joules, 1e-6 * joules);
    EXPECT_TRUE(parse_frame(json_line(to_json(frame))).ok());
  }
  EXPECT_GT(most, 1.2 * least);
}

TEST_F(FrameReaderTest, EveryTwinMoves) {
  for (const std::string& board : twin_boards()) {
    const auto reader = open("twin:" + board);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(frame_of(*reader).simulated) << board;
  }
}

TEST_F(FrameReaderTest, AModeOfATwinHoldsFromThenOn) {
  const auto reader = open("twin:orin_nano");
  frame_of(*reader);
  EXPECT_FALSE(reader->set_mode("50W").ok());
  EXPECT_FALSE(reader->set_mode("gpu_mhz=1").ok());
  ASSERT_TRUE(reader->set_mode("7W").ok());
  const BoardFrame frame = frame_of(*reader);
  EXPECT_EQ(frame.mode.preset, "7W");
  EXPECT_EQ(frame.mode.caps.values.at("gpu_mhz"), 408);
  ASSERT_TRUE(reader->set_mode("gpu_mhz=510").ok());
  EXPECT_EQ(frame_of(*reader).mode.caps.values.at("gpu_mhz"), 510);
  for (const Preset& preset : reader->presets()) {
    ASSERT_TRUE(reader->set_mode(std::to_string(preset.id)).ok());
    EXPECT_EQ(frame_of(*reader).mode.preset, preset.name);
  }
}

TEST_F(FrameReaderTest, APresetIsSetOnTheTreeAndCanBePutBack) {
  const fs::path root = tree("orin_nano_jp5");
  const auto reader = open("", root);
  frame_of(*reader);
  const auto set = reader->set_mode("7W");
  ASSERT_TRUE(set.ok()) << set.error().message;
  EXPECT_THAT(*set, HasSubstr("flyball mode restore"));
  const BoardFrame frame = frame_of(*reader);
  EXPECT_EQ(frame.mode.preset, "7W");
  EXPECT_TRUE(frame.kept);
}

TEST_F(FrameReaderTest, ATableHasNothingToWatch) {
  EXPECT_FALSE(open_frames("table:x.csv", {}).ok());
  EXPECT_FALSE(open_frames("twin:nothing", {}).ok());
}

TEST_F(FrameReaderTest, ABadLineOfAFileIsNamed) {
  const fs::path file = folder_ / "frames.jsonl";
  ASSERT_TRUE(write_file(file, "\n{\"monitor\":7}\n").ok());
  const auto reader = open_replayed_frames(file);
  ASSERT_TRUE(reader.ok());
  const auto frame = (*reader)->read();
  ASSERT_FALSE(frame.ok());
  EXPECT_THAT(frame.error().message, HasSubstr("frames.jsonl:2:"));
  ASSERT_TRUE(write_file(file, std::string(most_frame_bytes + 10, 'x')).ok());
  const auto endless = open_replayed_frames(file);
  ASSERT_TRUE(endless.ok());
  EXPECT_THAT((*endless)->read().error().message, HasSubstr("longer than"));
  EXPECT_FALSE(open_replayed_frames(folder_.path()).ok());
  ASSERT_TRUE(write_file(file, "\n \n").ok());
  const auto empty = open_replayed_frames(file);
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ((*empty)->read().error().message, "the file has no frames");
}

}  // namespace
}  // namespace flyball
