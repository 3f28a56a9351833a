#include "monitor/chart.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace flyball {
namespace {

// Eighths from below.
constexpr std::array<const char*, 9> block_rows = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
// Eighths from the left.
constexpr std::array<const char*, 9> block_columns = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
constexpr std::array<const char*, 9> ascii_rows = {" ", ".", ".", ":", ":", "+", "+", "#", "#"};
constexpr std::array<const char*, 9> ascii_columns = {" ", " ", " ", " ", "-", "-", "-", "=", "="};

size_t eighths(double share) {
  return static_cast<size_t>(std::lround(std::clamp(share, 0.0, 1.0) * 8));
}

}  // namespace

std::string bar(double share, int columns, Glyphs glyphs) {
  const auto& parts = glyphs == Glyphs::blocks ? block_columns : ascii_columns;
  const char* rest = glyphs == Glyphs::blocks ? "·" : ".";
  const double filled = std::clamp(std::isfinite(share) ? share : 0.0, 0.0, 1.0) * columns;
  std::string text;
  for (int column = 0; column < columns; ++column) {
    const size_t part = eighths(filled - column);
    text += part == 0 || *parts[part] == ' ' ? rest : parts[part];
  }
  return text;
}

std::string share_glyph(double share, Glyphs glyphs) {
  const auto& parts = glyphs == Glyphs::blocks ? block_rows : ascii_rows;
  return parts[std::max<size_t>(1, eighths(share))];
}

void draw_chart(Canvas& canvas, int x, int y, int rows,
                const std::vector<std::optional<double>>& values, double most, Glyphs glyphs,
                Ink ink) {
  const auto& parts = glyphs == Glyphs::blocks ? block_rows : ascii_rows;
  for (size_t column = 0; column < values.size(); ++column) {
    if (!values[column]) continue;
    const double height = std::clamp(*values[column] / most, 0.0, 1.0) * rows;
    for (int row = 0; row < rows; ++row) {
      size_t part = eighths(height - (rows - 1 - row));
      if (row == rows - 1) part = std::max<size_t>(part, 1);  // a value is there
      canvas.put(x + static_cast<int>(column), y + row, parts[part], ink);
    }
  }
}

double round_above(const std::vector<std::optional<double>>& values) {
  double most = 0;
  for (const auto& value : values)
    if (value && std::isfinite(*value)) most = std::max(most, *value);
  if (!(most > 0)) return 1;
  const double power = std::pow(10.0, std::floor(std::log10(most)));
  for (const double step : {1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0})
    if (step * power >= most) return step * power;
  return most;
}

}  // namespace flyball
