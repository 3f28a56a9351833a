// What keys do to the screen of a monitor: marks, zoom, a recording, the question before a mode is
// set. Knows no terminal.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "monitor/board_screen.h"
#include "monitor/frame_history.h"
#include "monitor/frame_reader.h"
#include "monitor/watch.h"

namespace flyball {

class ScreenSession {
 public:
  ScreenSession(FrameReader& reader, const WatchOptions& options, Glyphs glyphs);
  /// Ends what is being recorded.
  ~ScreenSession();
  void take(const BoardFrame& frame);
  /// A character, or one of ScreenKey.
  void press(int key);
  Canvas draw(int width, int height);
  bool wants_to_quit() const { return quit_; }
  bool paused() const { return state_.paused; }
  /// Instead of the keys, until the next key.
  void tell(std::string message) { state_.message = std::move(message); }

 private:
  enum class Asking { nothing, which_mode, really };
  void press_in_dialog(int key);
  void ask_for_mode();
  void ask_really();
  void set_asked_mode();
  void mark();
  void zoom(double factor);
  void toggle_recording();
  void begin_recording();
  void end_recording();

  FrameReader& reader_;
  FrameHistory history_;
  ScreenState state_;
  std::optional<BoardFrame> frame_, shown_;  ///< the newest; what stays while the screen is paused
  MakeFrameSink record_;
  std::unique_ptr<FrameSink> recording_;
  Asking asking_ = Asking::nothing;
  std::string typed_;
  bool quit_ = false;
};

}  // namespace flyball
