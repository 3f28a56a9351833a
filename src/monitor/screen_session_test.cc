#include "monitor/screen_session.h"

#include <gmock/gmock.h>

#include "base/os/temp_folder.h"
#include "monitor/frame_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;
using testing::Not;

class FakeReader final : public FrameReader {
 public:
  Result<std::optional<BoardFrame>> read() override { return std::optional(full_frame()); }
  std::vector<Preset> presets() const override { return {{.id = 1, .name = "7W"}}; }
  Result<std::string> set_mode(const std::string& text) override {
    asked = text;
    return "in force: " + text;
  }
  bool live() const override { return true; }
  std::string asked;
};

class ScreenSessionTest : public testing::Test {
 protected:
  ScreenSessionTest() { session.take(full_frame()); }
  std::string screen() { return session.draw(80, 24).text(); }
  void type(const std::string& keys) {
    for (const char key : keys) session.press(key);
  }
  FakeReader reader;
  ScreenSession session{reader, {.interval_s = 1}, Glyphs::blocks};
};

TEST_F(ScreenSessionTest, AModeIsAskedForTwice) {
  type("p");
  EXPECT_THAT(screen(), HasSubstr("7W"));
  type("7W");
  session.press(key_enter);
  EXPECT_THAT(screen(), HasSubstr("Set 7W on this board?"));
  EXPECT_THAT(screen(), HasSubstr("flyball mode restore"));
  EXPECT_EQ(reader.asked, "");
  type("y");
  EXPECT_EQ(reader.asked, "7W");
  EXPECT_THAT(screen(), HasSubstr("in force: 7W"));
}

TEST_F(ScreenSessionTest, AnyOtherKeyLeavesTheMode) {
  type("p7W");
  session.press(key_enter);
  type("n");
  EXPECT_EQ(reader.asked, "");
  EXPECT_THAT(screen(), HasSubstr("nothing was set"));
  type("p");
  session.press(key_escape);
  EXPECT_THAT(screen(), HasSubstr("nothing was set"));
}

TEST_F(ScreenSessionTest, KeysOfAQuestionAreNoCommands) {
  type("pq");
  EXPECT_FALSE(session.wants_to_quit());
  session.press(key_escape);
  type("q");
  EXPECT_TRUE(session.wants_to_quit());
}

TEST_F(ScreenSessionTest, MarksCountEnergyAnew) {
  BoardFrame later = full_frame();
  later.at_s += 10;
  later.energy_j += 50;
  type("m");
  session.take(later);
  session.press(key_none);
  EXPECT_THAT(screen(), HasSubstr("50.0 J in 0:10"));
}

TEST_F(ScreenSessionTest, APausedScreenStays) {
  type(" ");
  BoardFrame later = full_frame();
  later.at_s += 10;
  later.power_w = 99;
  session.take(later);
  EXPECT_THAT(screen(), Not(HasSubstr("99.00 W")));
  EXPECT_THAT(screen(), HasSubstr("PAUSED"));
  type(" ");
  EXPECT_THAT(screen(), HasSubstr("99.00 W"));
}

TEST_F(ScreenSessionTest, ZoomsBetweenBounds) {
  type("+++++++++++");
  EXPECT_THAT(screen(), HasSubstr("0.1 s/col"));
  type("----------------");
  EXPECT_THAT(screen(), HasSubstr("900 s/col"));
}

TEST_F(ScreenSessionTest, RecordsIntoAFileThatIsReadAgain) {
  const TempFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  type("r");
  EXPECT_THAT(screen(), HasSubstr("REC"));
  session.take(full_frame());
  session.take(full_frame());
  type("r");
  std::filesystem::path file;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) file = entry.path();
  std::filesystem::current_path(before);
  const auto read = open_replayed_frames(file);
  ASSERT_TRUE(read.ok()) << read.error().message;
  int frames = 0;
  while (true) {
    const auto frame = (*read)->read();
    ASSERT_TRUE(frame.ok()) << frame.error().message;
    if (!*frame) break;
    EXPECT_EQ((**frame).power_w, 7.25);
    ++frames;
  }
  EXPECT_EQ(frames, 2);
}

}  // namespace
}  // namespace flyball
