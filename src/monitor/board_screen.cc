#include "monitor/board_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "monitor/frame_text.h"
#include "monitor/screen_parts.h"

namespace flyball {
namespace {

constexpr int usual_columns = 80;  // on less, what can be done without is left out

const std::vector<std::string>& help_lines() {
  static const std::vector<std::string> lines = {
      "q      quit; the terminal is put back as it was",
      "m      mark: energy is counted from here",
      "r      record frames into a file, and end that",
      "p      set a preset or a mode; asks first",
      "+ -    zoom in and out in time",
      "space  pause the screen; reading goes on",
      "h      this help",
      "",
      "Clocks: what they do, of what was asked. Rails marked * make the total.",
      "own: cores that this monitor itself keeps busy."};
  return lines;
}

void draw_box(Canvas& canvas, const std::vector<std::string>& lines) {
  int columns = 0;
  for (const std::string& line : lines) columns = std::max(columns, columns_of(line));
  columns = std::min(columns + 4, canvas.width());
  const int rows = std::min(static_cast<int>(lines.size()) + 2, canvas.height());
  const int x = (canvas.width() - columns) / 2, y = std::max(0, (canvas.height() - rows) / 2);
  for (int row = 0; row < rows; ++row) canvas.fill(x, y + row, columns, Ink::title);
  for (size_t i = 0; i < lines.size(); ++i)
    canvas.put(x + 2, y + 1 + static_cast<int>(i), lines[i], Ink::title, x + columns - 2);
}

void draw_title(Canvas& canvas, const BoardFrame& frame, const ScreenState& state) {
  canvas.fill(0, 0, canvas.width(), Ink::title);
  std::string right = fmt::format("{:.3g} Hz", 1 / state.interval_s);
  if (frame.own_cores && canvas.width() >= usual_columns)
    right += fmt::format("  own {:.1f} % of a core", *frame.own_cores * 100);
  right += "  " + clock_text(frame.at_s);
  if (state.paused) right = "PAUSED  " + right;
  if (!state.recording.empty()) right = "REC  " + right;
  canvas.put(1, 0, "flyball  " + frame.board_name, Ink::title,
             canvas.width() - columns_of(right) - 2);
  canvas.put_right(canvas.width() - 1, 0, right, Ink::title);
}

void draw_keys(Canvas& canvas, const ScreenState& state) {
  const int y = canvas.height() - 1;
  canvas.fill(0, y, canvas.width(), Ink::title);
  if (!state.message.empty()) {
    canvas.put(1, y, state.message, Ink::title);
    return;
  }
  const std::string zoom = fmt::format("{:.3g} s/col", state.column_s);
  const char* keys = canvas.width() < usual_columns
                         ? "q quit  h help"
                         : "q quit  h help  m mark  r record  p mode  + - zoom  space pause";
  canvas.put(1, y, keys, Ink::title, canvas.width() - columns_of(zoom) - 2);
  canvas.put_right(canvas.width() - 1, y, zoom, Ink::title);
}

// All parts from the top; returns the row behind the last.
int draw_parts(const ScreenParts& parts, int end) {
  int y = 1;
  y = parts.power(y, end);
  y = parts.load(y, end);
  y = parts.memory(y, end);
  y = parts.heat(y, end);
  y = parts.mode(y, end);
  y = parts.notes(y, end);
  return parts.processes(y, end);
}

}  // namespace

Canvas draw_screen(int width, int height, const BoardFrame& frame, const FrameHistory& history,
                   const ScreenState& state) {
  const int end = height - 1;  // the row of the keys
  Canvas canvas(width, height);
  const int used = draw_parts({canvas, frame, history, state, 0}, end);
  if (used < end) {  // what is left makes the charts taller
    canvas = Canvas(width, height);
    draw_parts({canvas, frame, history, state, std::min(end - used, height / 3)}, end);
  }
  draw_title(canvas, frame, state);
  draw_keys(canvas, state);
  if (!state.dialog.empty())
    draw_box(canvas, state.dialog);
  else if (state.help)
    draw_box(canvas, help_lines());
  return canvas;
}

}  // namespace flyball
