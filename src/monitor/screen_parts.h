// The parts of the screen, from the top: each draws from row `y` on, never at or below `end`, and
// returns the row behind it. Inside the room.
#pragma once

#include "monitor/board_screen.h"

namespace flyball {

class ScreenParts {
 public:
  /// `more_rows`: of charts, beyond the usual.
  ScreenParts(Canvas& canvas, const BoardFrame& frame, const FrameHistory& history,
              const ScreenState& state, int more_rows)
      : canvas_(canvas), frame_(frame), history_(history), state_(state), more_rows_(more_rows) {}

  int power(int y, int end) const;
  int load(int y, int end) const;
  int memory(int y, int end) const;
  int heat(int y, int end) const;
  int mode(int y, int end) const;
  int notes(int y, int end) const;
  int processes(int y, int end) const;

 private:
  struct Series {
    const char* name;
    std::optional<double> Moment::*what;
    double most;  ///< 0: a round number above what there is
    const char* unit;
  };
  int width() const { return canvas_.width(); }
  bool wide() const { return width() >= 120; }
  int chart_rows() const;
  void chart(int x, int y, int rows, int columns, const Series& series) const;
  int row(int y, int end, const char* label, const std::string& text, Ink ink = Ink::plain) const;
  int items(int y, int end, const char* label, const std::vector<std::string>& texts) const;
  int cores(int y, int end) const;
  int gpu(int y, int end) const;

  Canvas& canvas_;
  const BoardFrame& frame_;
  const FrameHistory& history_;
  const ScreenState& state_;
  int more_rows_;
};

}  // namespace flyball
