// The screen of `flyball monitor`, drawn into a canvas of any size from 40×12 on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "monitor/board_frame.h"
#include "monitor/canvas.h"
#include "monitor/chart.h"
#include "monitor/frame_history.h"

namespace flyball {

/// What the screen shows besides frame and history.
struct ScreenState {
  Glyphs glyphs = Glyphs::blocks;
  double interval_s = 1;  ///< between frames
  double column_s = 1;    ///< that one column of a chart is of
  bool paused = false, help = false;
  double mark_s = 0, mark_j = 0;      ///< when energy is counted from, and how much there was then
  std::string recording{};            ///< file that is written; "" for none
  std::string message{};              ///< in place of the keys
  std::vector<std::string> dialog{};  ///< lines of a question in front of it; empty: none
};

Canvas draw_screen(int width, int height, const BoardFrame& frame, const FrameHistory& history,
                   const ScreenState& state);

}  // namespace flyball
