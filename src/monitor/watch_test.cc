#include "monitor/watch.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "monitor/frame_testing.h"

namespace flyball {
namespace {

class LiveReader final : public FrameReader {
 public:
  Result<std::optional<BoardFrame>> read() override {
    if (first_ns_ == 0) first_ns_ = monotonic_ns();
    BoardFrame frame = full_frame();
    frame.at_s = static_cast<double>(monotonic_ns() - first_ns_) * 1e-9;
    return std::optional(frame);
  }
  bool live() const override { return true; }

 private:
  int64_t first_ns_ = 0;
};

int frames_in(const WatchOptions& options) {
  LiveReader reader;
  int frames = 0;
  const Status watched = watch_frames(reader, options, [&](const BoardFrame&) {
    ++frames;
    return Status();
  });
  EXPECT_TRUE(watched.ok());
  return frames;
}

TEST(Watch, TheDurationEndsHoweverLongTheIntervalIs) {
  const Stopwatch watch;
  EXPECT_EQ(frames_in({.interval_s = 60, .duration_s = 0.2}), 2);
  EXPECT_GE(watch.seconds(), 0.2);
  EXPECT_LT(watch.seconds(), 30);
}

TEST(Watch, TheLastFrameIsThatOfTheLastInterval) {
  EXPECT_EQ(frames_in({.interval_s = 0.2, .duration_s = 0.4}), 3);
}

}  // namespace
}  // namespace flyball
