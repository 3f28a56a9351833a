#include "monitor/screen_session.h"

#include <gmock/gmock.h>

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

class CountedFrames final : public FrameSink {
 public:
  struct Seen {
    size_t frames = 0;
    bool finished = false;
    Status next{};
  };
  explicit CountedFrames(std::shared_ptr<Seen> seen) : seen_(std::move(seen)) {}
  Status add(const BoardFrame&) override {
    if (seen_->next.ok()) ++seen_->frames;
    return seen_->next;
  }
  Status finish() override {
    seen_->finished = true;
    return {};
  }
  const std::filesystem::path& path() const override { return path_; }

 private:
  std::shared_ptr<Seen> seen_;
  std::filesystem::path path_ = "shown.flyrec";
};

class RecordedScreen : public ScreenSessionTest {
 protected:
  RecordedScreen() { recorded.take(full_frame()); }
  std::string recorded_screen() { return recorded.draw(80, 24).text(); }

  std::shared_ptr<CountedFrames::Seen> seen = std::make_shared<CountedFrames::Seen>();
  ScreenSession recorded{
      reader,
      {.interval_s = 1,
       .record = [this](const BoardFrame&) -> Result<std::unique_ptr<FrameSink>> {
         return std::unique_ptr<FrameSink>(new CountedFrames(seen));
       }},
      Glyphs::blocks};
};

TEST_F(RecordedScreen, RecordsFromKeyToKey) {
  recorded.press('r');
  EXPECT_THAT(recorded_screen(), HasSubstr("REC"));
  recorded.take(full_frame());
  recorded.take(full_frame());
  recorded.press('r');
  EXPECT_EQ(seen->frames, 2u);
  EXPECT_TRUE(seen->finished);
  EXPECT_THAT(recorded_screen(), HasSubstr("flyball report shown.flyrec"));
  recorded.take(full_frame());
  EXPECT_EQ(seen->frames, 2u);
}

TEST_F(RecordedScreen, AFullDiskEndsTheRecordAndIsTold) {
  recorded.press('r');
  seen->next = Error{Code::io, "the disk is full", ""};
  recorded.take(full_frame());
  EXPECT_THAT(recorded_screen(), HasSubstr("the disk is full"));
  EXPECT_THAT(recorded_screen(), Not(HasSubstr("REC")));
}

TEST_F(ScreenSessionTest, FramesOfAFileAreNotRecordedAgain) {
  type("r");
  EXPECT_THAT(screen(), HasSubstr("these frames are a file's already"));
}

}  // namespace
}  // namespace flyball
