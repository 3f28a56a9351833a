#include "monitor/watch.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/clock.h"
#include "base/os/interrupt.h"
#include "monitor/screen_session.h"

namespace flyball {
namespace {

constexpr int64_t look_ns = 50'000'000;  // for signals
constexpr int64_t draw_ns = 95'000'000;  // no eye sees more often
constexpr double most_s = 1e9;           // of nanoseconds that can be counted

bool asked_to_stop() {
  return is_interrupted(&interrupt_flag());
}

bool is_over(const BoardFrame& frame, const WatchOptions& options) {
  return options.duration_s && frame.at_s >= *options.duration_s - 1e-9;
}

// When the next frame is due: deadlines are absolute, and those that passed are left out. Of a live
// board the last one is due when the duration ends, however long the interval is.
class Pace {
 public:
  Pace(const WatchOptions& options, bool live) : step_ns_(nanoseconds(options.interval_s)) {
    if (live && options.duration_s)
      end_ns_ = due_ns_ + nanoseconds(std::min(*options.duration_s, most_s));
  }
  int64_t due_ns() const { return std::min(due_ns_, end_ns_); }
  bool last_is_due() const { return due_ns_ >= end_ns_; }
  void step() {
    const int64_t now = monotonic_ns();
    due_ns_ += step_ns_;
    if (due_ns_ <= now) due_ns_ = now + step_ns_ - (now - due_ns_) % step_ns_;
  }

 private:
  int64_t step_ns_, due_ns_ = monotonic_ns();
  int64_t end_ns_ = std::numeric_limits<int64_t>::max();
};

}  // namespace

Status watch_frames(FrameReader& reader, const WatchOptions& options,
                    const std::function<Status(const BoardFrame&)>& take) {
  Pace pace(options, reader.live());
  while (!asked_to_stop()) {
    const bool last = pace.last_is_due();
    if (options.paced || reader.live()) {
      const int64_t now = monotonic_ns();
      if (now < pace.due_ns()) {
        sleep_until_ns(std::min(pace.due_ns(), now + look_ns));
        continue;
      }
      pace.step();
    }
    FLYBALL_ASSIGN(const auto frame, reader.read());
    if (!frame) return {};
    FLYBALL_CHECK(take(*frame));
    if (last || is_over(*frame, options)) return {};
  }
  return {};
}

Status watch_on_screen(FrameReader& reader, const WatchOptions& options, TerminalScreen& screen) {
  ScreenSession session(reader, options, screen.glyphs());
  Pace pace(options, reader.live());
  int64_t drawn_ns = 0;
  bool ended = false, dirty = true;
  while (!asked_to_stop() && !session.wants_to_quit()) {
    int64_t now = monotonic_ns();
    if (!ended && now >= pace.due_ns()) {
      const bool last = pace.last_is_due();
      pace.step();
      FLYBALL_ASSIGN(const auto frame, reader.read());
      if (frame) {
        session.take(*frame);
        if (last || is_over(*frame, options)) return {};
      }
      ended = !frame;
      if (ended) session.tell("the recorded frames are at their end");
      dirty |= ended || !session.paused();
      now = monotonic_ns();
    }
    if (dirty && now - drawn_ns >= draw_ns) {
      screen.draw(session.draw(screen.width(), screen.height()));
      drawn_ns = now;
      dirty = false;
    }
    int64_t until = ended ? now + 500'000'000 : pace.due_ns();
    if (dirty) until = std::min(until, drawn_ns + draw_ns);
    const int64_t wait_ms =
        std::clamp<int64_t>((until - monotonic_ns() + 999'999) / 1'000'000, 0, 500);
    const int key = screen.key(static_cast<int>(wait_ms));
    if (key == key_none) continue;
    if (key != key_resized) session.press(key);
    drawn_ns = 0;
    dirty = true;
  }
  return {};
}

}  // namespace flyball
