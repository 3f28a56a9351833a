// The terminal as a screen, by ncurses: canvases out, keys in; put back as it was at the end, after
// a signal and after a crash.
#pragma once

#include <memory>

#include "base/status.h"
#include "monitor/canvas.h"
#include "monitor/chart.h"

namespace flyball {

/// Keys that are no characters.
enum ScreenKey : int { key_none = -1, key_resized = 0x110000, key_enter, key_back, key_escape };

class TerminalScreen {
 public:
  /// One at a time. Error `unavailable`: input or output is no terminal, or TERM names one that
  /// cannot move its cursor.
  static Result<std::unique_ptr<TerminalScreen>> open();
  ~TerminalScreen();
  TerminalScreen(const TerminalScreen&) = delete;
  TerminalScreen& operator=(const TerminalScreen&) = delete;

  int width() const;
  int height() const;
  /// Blocks where the terminal's encoding is UTF-8.
  Glyphs glyphs() const { return glyphs_; }
  void draw(const Canvas& canvas);
  /// Waits for a key for at most so long.
  int key(int milliseconds);

 private:
  explicit TerminalScreen(Glyphs glyphs) : glyphs_(glyphs) {}
  Glyphs glyphs_;
  bool colours_ = false;
};

}  // namespace flyball
